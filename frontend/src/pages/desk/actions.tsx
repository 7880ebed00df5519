import { type FormEvent, type ReactNode, useState } from "react";
import {
  type Change,
  type ClosingReason,
  closingReasons,
  type Lead,
  type Progress,
} from "./api.ts";
import { useDesk, useTask } from "./context.ts";
import { inHours, tomorrowAtTen } from "./time.ts";

type Action = "noAnswer" | "visit" | "close" | "notALead" | "note" | "give";

interface Props {
  lead: Lead;
  progress: Progress;
  people: string[];
  onChanged: (lead: Lead) => void;
}

/** What a salesperson says about a lead: one tap, or two where there is something to ask. */
export function Actions({ lead, progress, people, onChanged }: Props) {
  const { api, texts } = useDesk();
  const { busy, failure, run } = useTask();
  const [open, setOpen] = useState<Action | null>(null);
  const [saved, setSaved] = useState(false);

  async function say(change: Change): Promise<void> {
    setSaved(false);
    const changed = await run(() => api.change(lead.id, change));
    if (changed !== null) {
      setOpen(null);
      setSaved(true);
      onChanged(changed);
    }
  }

  /** A second call is a note: the lead is contacted already, and a visit stays fixed. */
  function called(): Change {
    switch (progress.state) {
      case "visiting":
        return { note: texts.calledAgain };
      case "contacted":
        return { state: "contacted", note: texts.calledAgain };
      default:
        return { state: "contacted" };
    }
  }

  const button = (action: Action, label: string) => (
    <button
      type="button"
      className="button button-small button-plain"
      aria-expanded={open === action}
      disabled={busy}
      onClick={() => setOpen(open === action ? null : action)}
    >
      {label}
    </button>
  );
  const form = { busy, cancel: () => setOpen(null) };

  return (
    <section className="desk-actions">
      <h2>{texts.whatHappened}</h2>
      <p className="desk-buttons">
        <button
          type="button"
          className="button button-small"
          disabled={busy}
          onClick={() => void say(called())}
        >
          {texts.called}
        </button>
        {button("noAnswer", texts.noAnswer)}
        {button("visit", texts.visit)}
        {button("note", texts.note)}
        {button("give", texts.give)}
        {button("close", texts.close)}
        {button("notALead", texts.notALead)}
        <button
          type="button"
          className="button button-small button-plain"
          disabled={busy}
          onClick={() => void say({ do_not_contact: !progress.do_not_contact })}
        >
          {progress.do_not_contact ? texts.allow : texts.forbid}
        </button>
      </p>
      {open === "noAnswer" && (
        <When
          {...form}
          label={texts.tryAgain}
          soon
          onSave={(next_step_at) =>
            void say({ state: progress.state === "new" ? "new" : "contacted", next_step_at })
          }
        />
      )}
      {open === "visit" && (
        <When
          {...form}
          label={texts.visitWhen}
          onSave={(next_step_at) => void say({ state: "visiting", next_step_at })}
        />
      )}
      {open === "note" && <Note {...form} onSave={(note) => void say({ note })} />}
      {open === "give" && (
        <Give
          {...form}
          people={people}
          progress={progress}
          onSave={(owner) => void say({ owner })}
        />
      )}
      {open === "close" && <Close {...form} onSave={(change) => void say(change)} />}
      {open === "notALead" && (
        <Form {...form} legend={texts.reallyNot} onSave={() => void say({ state: "not_a_lead" })} />
      )}
      <p className="desk-said" role="status">
        {busy ? texts.saving : (failure ?? (saved ? texts.saved : ""))}
      </p>
    </section>
  );
}

interface FormProps {
  legend: string;
  busy: boolean;
  cancel: () => void;
  onSave: () => void;
  children?: ReactNode;
}

function Form({ legend, busy, cancel, onSave, children }: FormProps) {
  const { texts } = useDesk();
  return (
    <form
      className="desk-panel"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        onSave();
      }}
    >
      <fieldset>
        <legend className="field-legend">{legend}</legend>
        {children}
      </fieldset>
      <p className="desk-buttons">
        <button type="submit" className="button button-small" disabled={busy}>
          {texts.save}
        </button>
        <button type="button" className="button button-small button-plain" onClick={cancel}>
          {texts.cancel}
        </button>
      </p>
    </form>
  );
}

interface SavedBy<Value> {
  busy: boolean;
  cancel: () => void;
  onSave: (value: Value) => void;
}

function When({
  label,
  soon = false,
  onSave,
  ...form
}: SavedBy<string> & { label: string; soon?: boolean }) {
  const { texts } = useDesk();
  const [own, setOwn] = useState("");
  return (
    <Form {...form} legend={label} onSave={() => onSave(new Date(own).toISOString())}>
      {soon && (
        <p className="desk-buttons">
          {[
            { label: texts.inTwoHours, at: () => inHours(2) },
            { label: texts.tomorrow, at: () => tomorrowAtTen() },
          ].map((choice) => (
            <button
              key={choice.label}
              type="button"
              className="button button-small button-plain"
              disabled={form.busy}
              onClick={() => onSave(choice.at())}
            >
              {choice.label}
            </button>
          ))}
        </p>
      )}
      <label className="field-label" htmlFor="desk-when">
        {texts.when}
      </label>
      <input
        id="desk-when"
        className="field-input"
        type="datetime-local"
        required
        value={own}
        onChange={(event) => setOwn(event.target.value)}
      />
    </Form>
  );
}

function NoteField({ label, value, onChange, ...rest }: NoteFieldProps) {
  return (
    <>
      <label className="field-label" htmlFor="desk-note">
        {label}
      </label>
      <textarea
        id="desk-note"
        className="field-input"
        rows={3}
        maxLength={2000}
        dir="auto"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        {...rest}
      />
    </>
  );
}

interface NoteFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  required?: boolean;
}

function Note({ onSave, ...form }: SavedBy<string>) {
  const { texts } = useDesk();
  const [note, setNote] = useState("");
  return (
    <Form {...form} legend={texts.note} onSave={() => onSave(note)}>
      <NoteField label={texts.noteText} value={note} onChange={setNote} required />
    </Form>
  );
}

function Give({
  people,
  progress,
  onSave,
  ...form
}: SavedBy<string> & { people: string[]; progress: Progress }) {
  const { texts } = useDesk();
  const [owner, setOwner] = useState(progress.owner);
  return (
    <Form {...form} legend={texts.give} onSave={() => onSave(owner)}>
      <label className="field-label" htmlFor="desk-owner">
        {texts.colleague}
      </label>
      <select
        id="desk-owner"
        className="field-input"
        value={owner}
        onChange={(event) => setOwner(event.target.value)}
      >
        <option value="">{texts.nobody}</option>
        {people.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <p className="desk-quiet">{texts.givenMail}</p>
    </Form>
  );
}

function Close({ onSave, ...form }: SavedBy<Change>) {
  const { texts } = useDesk();
  const [reason, setReason] = useState<ClosingReason | null>(null);
  const [note, setNote] = useState("");
  return (
    <Form
      {...form}
      legend={texts.why}
      onSave={() =>
        reason !== null &&
        onSave({ state: "closed", closing_reason: reason, ...(note === "" ? {} : { note }) })
      }
    >
      {closingReasons.map((each) => (
        <label key={each} className="desk-choice">
          <input
            type="radio"
            name="reason"
            required
            checked={reason === each}
            onChange={() => setReason(each)}
          />
          {texts.reasons[each]}
        </label>
      ))}
      <NoteField label={texts.optionalNote} value={note} onChange={setNote} />
    </Form>
  );
}
