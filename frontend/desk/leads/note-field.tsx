import type { Change } from "#desk/api.ts";
import type { draftOf } from "#desk/session/storage.ts";
import { Field } from "#desk/ui/fields.tsx";
import type { Values } from "#desk/ui/form.tsx";

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

/** The note, or nothing if it is empty. */
export function noteIn({ note = "" }: Values): Pick<Change, "note"> {
  return note === "" ? {} : { note };
}
