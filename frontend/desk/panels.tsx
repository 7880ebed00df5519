import { type FormEvent, type ReactNode, useState } from "react";
import { closingReasons } from "./api.ts";
import { Button } from "./elements.tsx";
import { language, texts } from "./page.ts";

import type { draftOf } from "./storage.ts";
import { clockIn, instantIn, zoneName } from "./time.ts";

/** The values of a form's fields, by name. */
export type Values = Record<string, string>;

interface FormProps {
  legend: string;
  /** What the button answers. Without it, the fields are separate buttons. */
  answer: string | null;
  busy: boolean;
  onSave: (values: Values) => void;
  onCancel: () => void;
  children?: ReactNode;
}

export function Form({ legend, answer, busy, onSave, onCancel, children }: FormProps) {
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (!busy) {
      const fields = [...new FormData(event.currentTarget)];
      onSave(Object.fromEntries(fields.map(([name, value]) => [name, String(value)])));
    }
  }

  return (
    <form className="desk-panel" onSubmit={submit}>
      <fieldset>
        <legend className="field-legend">{legend}</legend>
        {children}
      </fieldset>
      <p className="desk-buttons">
        {answer !== null && (
          <Button type="submit" busy={busy}>
            {answer}
          </Button>
        )}
        <Button plain disabled={busy} onClick={onCancel}>
          {texts.cancel}
        </Button>
      </p>
    </form>
  );
}

interface FieldProps {
  label: string;
  id: string;
  children: ReactNode;
}

function Field({ label, id, children }: FieldProps) {
  return (
    <>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {children}
    </>
  );
}

interface NextStepFieldsProps {
  zone: string;
  /** Times by what they are called. */
  times: Record<string, string>;
  /** Whether nothing may be planned. */
  optional?: boolean;
}

const ANOTHER = "another";

/** When the next step is: a time that is offered, another, or none. */
export function NextStepFields({ zone, times, optional = false }: NextStepFieldsProps) {
  const [next, setNext] = useState<string>();
  const choices = [
    ...Object.entries(times),
    [texts.anotherTime, ANOTHER] as const,
    ...(optional ? [[texts.notNeeded, ""] as const] : []),
  ];
  return (
    <>
      <fieldset className="desk-buttons">
        <legend className="field-label">{texts.nextStepWhen}</legend>
        {choices.map(([label, value]) => (
          <label key={label} className="chip">
            <input
              type="radio"
              className="visually-hidden"
              name="next"
              value={value}
              required
              onChange={() => setNext(value)}
            />
            {label}
          </label>
        ))}
      </fieldset>
      {next === ANOTHER && <WhenField zone={zone} />}
    </>
  );
}

/** The time that was chosen; empty: none. */
export function nextStepIn({ next = "", when = "" }: Values, zone: string): string {
  return next === ANOTHER ? instantIn(zone, when) : next;
}

/** @param zone the time zone of the typed time */
function WhenField({ zone }: { zone: string }) {
  return (
    <Field label={texts.when} id="desk-when">
      <input
        id="desk-when"
        name="when"
        className="field-input"
        type="datetime-local"
        required
        min={clockIn(zone, new Date())}
        aria-describedby="desk-zone"
      />
      <p id="desk-zone" className="desk-quiet">
        {texts.zone(zoneName(zone, language))}
      </p>
    </Field>
  );
}

interface NoteFieldProps {
  label: string;
  draft: ReturnType<typeof draftOf>;
  required?: boolean;
}

/** A note that outlives the page until it is saved or cancelled. */
export function NoteField({ label, draft, required }: NoteFieldProps) {
  return (
    <Field label={label} id="desk-note">
      <textarea
        id="desk-note"
        name="note"
        className="field-input"
        rows={3}
        maxLength={2000}
        dir="auto"
        required={required}
        defaultValue={draft.read() ?? ""}
        onChange={(event) => draft.keep(event.target.value)}
      />
    </Field>
  );
}

export function ReasonFields() {
  return closingReasons.map((reason) => (
    <label key={reason} className="desk-choice">
      <input type="radio" name="reason" value={reason} required />
      {texts.reasons[reason]}
    </label>
  ));
}
