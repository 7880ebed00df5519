import { type FormEvent, type InputHTMLAttributes, type ReactNode, useState } from "react";
import { channels, closingReasons, type DncCheck } from "#desk/api.ts";
import { language, texts } from "#desk/language.ts";
import type { draftOf } from "#desk/session/storage.ts";
import { clockIn, instantIn, zoneName } from "#desk/time.ts";
import { Button } from "#desk/ui/elements.tsx";

/** The values of a form's fields, by name. */
export type Values = Record<string, string>;

interface FormProps {
  legend: string;
  /** Label of the button. Without it, the fields are separate buttons. */
  answer: string | null;
  busy: boolean;
  onSave: (values: Values, fields: FormData) => void;
  onCancel: () => void;
  children?: ReactNode;
}

export function Form({ legend, answer, busy, onSave, onCancel, children }: FormProps) {
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (!busy) {
      const fields = new FormData(event.currentTarget);
      onSave(Object.fromEntries([...fields].map(([name, value]) => [name, String(value)])), fields);
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
    <div>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {children}
    </div>
  );
}

interface TextFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  name: string;
}

export function TextField({ label, ...input }: TextFieldProps) {
  const id = `desk-${input.name}`;
  return (
    <Field label={label} id={id}>
      <input id={id} className="field-input" autoComplete="off" required {...input} />
    </Field>
  );
}

/** The field of a phone number, by the rules of the form. */
export const mobileInput = {
  label: texts.fields.mobile,
  name: "mobile",
  type: "tel",
  minLength: 8,
  maxLength: 19,
};

/** The field of a name, by the rules of the form. */
export const nameInput = { label: texts.fields.name, name: "name", maxLength: 100 };

/** The field of an email address, by the rules of the form. */
export const emailInput = {
  label: texts.fields.email,
  name: "email",
  type: "email",
  maxLength: 255,
};

interface ChipsProps {
  legend: string;
  name: string;
  /** The label of each value. */
  choices: (readonly [label: string, value: string])[];
  /** Whether several can be chosen; at least one must be. */
  isMultiple?: boolean;
  initial?: string;
  onChange?: (value: string) => void;
}

/** Choices of which one is required. */
export function Chips({ legend, name, choices, isMultiple, initial, onChange }: ChipsProps) {
  const [count, setCount] = useState(0);
  return (
    <fieldset className="desk-buttons">
      <legend className="field-label">{legend}</legend>
      {choices.map(([label, value]) => (
        <label key={label} className="chip">
          <input
            type={isMultiple ? "checkbox" : "radio"}
            className="visually-hidden"
            name={name}
            value={value}
            required={!isMultiple || count === 0}
            defaultChecked={value === initial}
            onChange={({ target }) => {
              setCount(count + (target.checked ? 1 : -1));
              onChange?.(value);
            }}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

interface NextStepFieldsProps {
  zone: string;
  /** Times by their labels. */
  times: Record<string, string>;
  /** Whether the next step is optional. */
  optional?: boolean;
}

const ANOTHER = "another";

/** The time of the next step: a suggestion, another time, or none. */
export function NextStepFields({ zone, times, optional = false }: NextStepFieldsProps) {
  const [next, setNext] = useState<string>();
  const choices = [
    ...Object.entries(times),
    [texts.anotherTime, ANOTHER] as const,
    ...(optional ? [[texts.notNeeded, ""] as const] : []),
  ];
  return (
    <>
      <Chips legend={texts.nextStepWhen} name="next" choices={choices} onChange={setNext} />
      {next === ANOTHER && <WhenField zone={zone} />}
    </>
  );
}

/** The chosen time, or an empty text. */
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
  /** Keeps the note between pages until it is saved or cancelled. */
  draft?: ReturnType<typeof draftOf>;
  required?: boolean;
  maxLength?: number;
}

export function NoteField({ label, draft, required, maxLength = 2000 }: NoteFieldProps) {
  return (
    <Field label={label} id="desk-note">
      <textarea
        id="desk-note"
        name="note"
        className="field-input"
        rows={3}
        maxLength={maxLength}
        dir="auto"
        required={required}
        defaultValue={draft?.read() ?? ""}
        onChange={(event) => draft?.keep(event.target.value)}
      />
    </Field>
  );
}

/** The day and the result of looking up the visitor's number in the Do Not Call registry. */
export function DncFields({ zone }: { zone: string }) {
  const today = clockIn(zone, new Date()).slice(0, 10);
  return (
    <>
      <p className="desk-quiet">{texts.dnc.hint}</p>
      <TextField
        label={texts.dnc.day}
        name="dnc-day"
        type="date"
        max={today}
        defaultValue={today}
      />
      {channels.map((id) => (
        <label key={id} className="desk-choice">
          <input type="checkbox" name={`dnc-${id}`} />
          {texts.dnc.listedFor[id]}
        </label>
      ))}
    </>
  );
}

/** The values of `DncFields`. */
export function dncCheckIn(values: Values, zone: string): DncCheck {
  return {
    checked_at: instantIn(zone, `${values["dnc-day"]}T00:00`),
    listed: channels.filter((id) => values[`dnc-${id}`] !== undefined),
  };
}

export function ReasonFields() {
  return closingReasons.map((reason) => (
    <label key={reason} className="desk-choice">
      <input type="radio" name="reason" value={reason} required />
      {texts.reasons[reason]}
    </label>
  ));
}
