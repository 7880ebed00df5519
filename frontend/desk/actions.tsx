import { type Dispatch, type SetStateAction, useState } from "react";
import { type Change, DeskError, hasCode, type Lead, type Me, type Progress } from "./api.ts";
import { changesOf } from "./changes.ts";
import { useDesk, useOnReturn, useTask } from "./context.ts";
import { Button, usePanelFocus } from "./elements.tsx";
import { Close, Form, Give, Note, When } from "./panels.tsx";
import { drafts } from "./storage.ts";
import { isOver, lastChangedBy } from "./story.ts";

const panelsWithNote = ["note", "close"] as const;
type Panel =
  | (typeof panelsWithNote)[number]
  | "noAnswer"
  | "visit"
  | "give"
  | "invalid"
  | "contact";

interface Props {
  lead: Lead;
  progress: Progress;
  me: Me;
  onChanged: Dispatch<SetStateAction<Lead | null>>;
}

/** What a salesperson says about a lead: one tap, or two where there is something to ask. */
export function Actions({ lead, progress, me, onChanged }: Props) {
  const { api, texts } = useDesk();
  const { busy, failure, run } = useTask({ isSaving: true });
  const quiet = useTask();
  const [open, setOpen] = useState<Panel | null>(
    () => panelsWithNote.find((panel) => drafts.read(lead.id, panel) !== "") ?? null,
  );
  const [saved, setSaved] = useState(false);
  const { section, opener } = usePanelFocus(open, saved);
  const { state, owner } = progress;
  const changes = changesOf(progress, texts);

  useOnReturn(() => {
    if (open === null && !busy) {
      void quiet.run(async () => {
        const now = await api.lead(lead.id);
        // What was saved in the meantime is newer.
        onChanged((shown) => (shown === lead ? now : shown));
      });
    }
  });

  function show(panel: Panel | null): void {
    setSaved(false);
    setOpen(panel);
  }

  function close(panel: Panel | null): void {
    if (panel !== null) {
      drafts.forget(lead.id, panel);
    }
    show(null);
  }

  async function save(change: Change, panel: Panel | null): Promise<void> {
    setSaved(false);
    const changed = await run(() => api.change(lead.id, change).catch(reread));
    if (changed !== null) {
      close(panel);
      setSaved(true);
      onChanged(changed);
    }
  }

  /** Shows what a colleague changed meanwhile, or what was saved although no answer came. */
  async function reread(error: unknown): Promise<never> {
    const now = await api.lead(lead.id).catch(() => null);
    if (now !== null) {
      onChanged(now);
    }
    throw now !== null && hasCode(error, "changed_meanwhile")
      ? new DeskError("changed_meanwhile", { by: lastChangedBy(now) })
      : error;
  }

  const tap = (label: string, change: Change, plain = true) => (
    <Button
      plain={plain}
      busy={busy}
      onClick={(event) => {
        opener.current = event.currentTarget;
        void save(change, null);
      }}
    >
      {label}
    </Button>
  );
  const toggle = (label: string, panel: Panel) => (
    <Button
      plain
      busy={busy}
      aria-expanded={open === panel}
      onClick={(event) => {
        opener.current = event.currentTarget;
        show(open === panel ? null : panel);
      }}
    >
      {label}
    </Button>
  );
  const form = { busy, onCancel: () => close(open) };
  const send = (change: Change) => void save(change, open);

  return (
    <section className="desk-actions" ref={section}>
      <h2 tabIndex={-1}>{texts.whatHappened}</h2>
      <p className="desk-buttons">
        {isOver(state) ? (
          tap(texts.reopen, changes.reopen(), false)
        ) : (
          <>
            {tap(texts.called, changes.called(), false)}
            {state === "visit_booked"
              ? tap(texts.noAnswer, changes.noAnswer())
              : toggle(texts.noAnswer, "noAnswer")}
            {toggle(texts.visit, "visit")}
            {owner === "" && tap(texts.take, changes.giveTo(me.name))}
            {toggle(texts.give, "give")}
            {toggle(texts.close, "close")}
            {toggle(texts.markInvalid, "invalid")}
          </>
        )}
        {toggle(texts.note, "note")}
        {toggle(lead.do_not_contact ? texts.allow : texts.forbid, "contact")}
      </p>
      {open === "noAnswer" && (
        <When
          {...form}
          legend={texts.tryAgain}
          zone={me.time_zone}
          soon
          onSave={(at) => send(changes.noAnswer(at))}
        />
      )}
      {open === "visit" && (
        <When
          {...form}
          legend={texts.visitWhen}
          zone={me.time_zone}
          onSave={(at) => send(changes.visit(at))}
        />
      )}
      {open === "note" && (
        <Note {...form} lead={lead.id} onSave={(note) => send(changes.note(note))} />
      )}
      {open === "give" && (
        <Give {...form} me={me} owner={owner} onSave={(to) => send(changes.giveTo(to))} />
      )}
      {open === "close" && (
        <Close
          {...form}
          lead={lead.id}
          onSave={(reason, note) => send(changes.close(reason, note))}
        />
      )}
      {open === "invalid" && (
        <Form {...form} legend={texts.reallyNot} onSave={() => send(changes.markInvalid())} />
      )}
      {open === "contact" && (
        <Form
          {...form}
          legend={lead.do_not_contact ? texts.reallyAllow : texts.reallyForbid}
          onSave={() => send(changes.mayContact(lead.do_not_contact))}
        />
      )}
      <p className="desk-said" role="status">
        {busy ? texts.saving : (failure ?? (saved ? texts.saved : ""))}
      </p>
    </section>
  );
}
