import { type FormEvent, type ReactNode, useState } from "react";
import { closingReasons, type Me } from "./api.ts";
import { Button } from "./elements.tsx";
import { language, texts } from "./page.ts";

import type { draftOf } from "./storage.ts";
import { clockIn, zoneName } from "./time.ts";

/** The values of a form's fields, by name. */
export type Values = Record<string, string>;

interface FormProps {
  legend: string;
  busy: boolean;
  onSave: (values: Values) => void;
  onCancel: () => void;
  children?: ReactNode;
}

export function Form({ legend, busy, onSave, onCancel, children }: FormProps) {
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
        <Button type="submit" busy={busy}>
          {texts.save}
        </Button>
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

/** @param zone the time zone of the typed time */
export function WhenField({ zone }: { zone: string }) {
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

export function OwnerField({ me, owner }: { me: Me; owner: string }) {
  // The owner may have left the team.
  const [to, setTo] = useState(me.people.includes(owner) ? owner : "");
  return (
    <Field label={texts.colleague} id="desk-owner">
      <select
        id="desk-owner"
        name="owner"
        className="field-input"
        value={to}
        onChange={(event) => setTo(event.target.value)}
      >
        <option value="">{texts.nobody}</option>
        {me.people.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {to !== "" && to !== me.name && <p className="desk-quiet">{texts.givenMail}</p>}
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
