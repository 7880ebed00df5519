import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import {
  api,
  type Change,
  type ClosingReason,
  type Lead,
  leadQuery,
  type Me,
  type Progress,
} from "./api.ts";
import { called, unanswered } from "./changes.ts";
import { Button, errorText, usePanelFocus } from "./elements.tsx";
import { texts } from "./page.ts";
import { Form, NoteField, OwnerField, ReasonFields, type Values, WhenField } from "./panels.tsx";

import { draftOf } from "./storage.ts";
import { isOver, lastChangedBy } from "./story.ts";
import { inHours, instantIn, tomorrowAtTen } from "./time.ts";

type PanelName = "noAnswer" | "visit" | "note" | "give" | "close" | "invalid" | "contact";

/** A question about a change. Without fields it asks for confirmation. */
interface Panel {
  legend: string;
  fields?: ReactNode;
  read: (values: Values) => Change;
}

interface Props {
  lead: Lead;
  progress: Progress;
  me: Me;
}

/** Records what happened to a lead: one tap, or two where there is something to ask. */
export function Actions({ lead, progress, me }: Props) {
  const client = useQueryClient();
  const query = leadQuery(lead.id);
  const [open, setOpen] = useState<PanelName | null>(
    () => (["note", "close"] as const).find((name) => draftOf(lead.id, name).read()) ?? null,
  );

  const saving = useMutation({
    onMutate: () => client.cancelQueries(query),
    mutationFn: ({ change }: { change: Change; panel: PanelName | null }) =>
      api.change(lead.id, change),
    onSuccess: (changed, { panel }) => {
      client.setQueryData(query.queryKey, changed);
      close(panel);
    },
    // A colleague changed the lead meanwhile, or it was saved although no answer came.
    onError: () => client.refetchQueries(query),
  });
  const { isPending: busy, isSuccess: saved } = saving;
  const { section, opener } = usePanelFocus(open, saved);
  // A lead that changes under an open panel would hide a conflict with a colleague.
  const refetchOnWindowFocus = open === null && !busy;
  const current = useQuery({ ...query, refetchOnMount: false, refetchOnWindowFocus });
  const lastBy = current.isError ? "" : lastChangedBy(lead);

  function close(panel: PanelName | null): void {
    if (panel !== null) {
      draftOf(lead.id, panel).forget();
    }
    setOpen(null);
  }

  const { state, owner, changed_at: seen } = progress;
  const save = (change: Change, panel: PanelName | null = open) => saving.mutate({ change, panel });
  const pick = (label: string, at: () => string) => (
    <Button plain busy={busy} onClick={() => save(unanswered(progress, at()))}>
      {label}
    </Button>
  );
  const readWhen = ({ when = "" }: Values) => instantIn(me.time_zone, when);

  const panels: Record<PanelName, Panel> = {
    noAnswer: {
      legend: texts.tryAgain,
      fields: (
        <>
          <p className="desk-buttons">
            {pick(texts.inTwoHours, () => inHours(2))}
            {pick(texts.tomorrow, () => tomorrowAtTen(me.time_zone))}
          </p>
          <WhenField zone={me.time_zone} />
        </>
      ),
      read: (values) => unanswered(progress, readWhen(values)),
    },
    visit: {
      legend: texts.visitWhen,
      fields: <WhenField zone={me.time_zone} />,
      read: (values) => ({ state: "visit_booked", next_step_at: readWhen(values), seen }),
    },
    note: {
      legend: texts.note,
      fields: <NoteField label={texts.noteText} draft={draftOf(lead.id, "note")} required />,
      read: ({ note = "" }) => ({ note }),
    },
    give: {
      legend: owner === "" ? texts.assign : texts.give,
      fields: <OwnerField me={me} owner={owner} />,
      read: ({ owner = "" }) => ({ owner, seen }),
    },
    close: {
      legend: texts.why,
      fields: (
        <>
          <ReasonFields />
          <NoteField label={texts.optionalNote} draft={draftOf(lead.id, "close")} />
        </>
      ),
      read: ({ reason, note = "" }) => ({
        state: "closed",
        closing_reason: reason as ClosingReason,
        ...(note === "" ? {} : { note }),
        seen,
      }),
    },
    invalid: { legend: texts.reallyNot, read: () => ({ state: "invalid", seen }) },
    contact: {
      legend: lead.do_not_contact ? texts.reallyAllow : texts.reallyForbid,
      read: () => ({ do_not_contact: !lead.do_not_contact }),
    },
  };
  const panel = open === null ? null : panels[open];

  /** A button that saves a change, or shows and hides a panel. */
  const action = (label: string, result: Change | PanelName, plain = true) => (
    <Button
      plain={plain}
      busy={busy}
      aria-expanded={typeof result === "string" ? open === result : undefined}
      onClick={(event) => {
        opener.current = event.currentTarget;
        if (typeof result === "string") {
          saving.reset();
          setOpen(open === result ? null : result);
        } else {
          save(result, null);
        }
      }}
    >
      {label}
    </Button>
  );

  return (
    <section className="desk-actions" ref={section}>
      <h2 tabIndex={-1}>{texts.whatHappened}</h2>
      <p className="desk-buttons">
        {isOver(state) ? (
          action(texts.reopen, { state: "contacted", seen }, false)
        ) : (
          <>
            {action(texts.called, called(progress), false)}
            {state === "visit_booked"
              ? action(texts.noAnswer, unanswered(progress))
              : action(texts.noAnswer, "noAnswer")}
            {action(texts.visit, "visit")}
            {owner === "" && action(texts.take, { owner: me.name, seen })}
            {action(owner === "" ? texts.assign : texts.give, "give")}
            {action(texts.close, "close")}
            {action(texts.markInvalid, "invalid")}
          </>
        )}
        {action(texts.note, "note")}
        {action(lead.do_not_contact ? texts.allow : texts.forbid, "contact")}
      </p>
      {panel !== null && (
        <Form
          key={open}
          legend={panel.legend}
          busy={busy}
          onSave={(values) => save(panel.read(values))}
          onCancel={() => {
            saving.reset();
            close(open);
          }}
        >
          {panel.fields}
        </Form>
      )}
      <p className="desk-said" role="status">
        {busy && texts.saving}
        {saving.isError && errorText(saving.error, { by: lastBy })}
        {saved && texts.saved}
      </p>
    </section>
  );
}
