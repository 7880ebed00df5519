import { texts } from "#desk/language.ts";
import { NoteField, noteIn } from "#desk/leads/note-field.tsx";
import { Form } from "#desk/ui/form.tsx";
import type { PanelProps } from "./panel-props.ts";

export function NotePanel({ busy, draft, onSave, onCancel }: PanelProps) {
  return (
    <Form
      legend={texts.note}
      busy={busy}
      onSave={(values) => onSave(noteIn(values))}
      onCancel={onCancel}
    >
      <NoteField label={texts.noteText} draft={draft} required />
    </Form>
  );
}
