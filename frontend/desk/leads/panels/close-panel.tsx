import { type ClosingReason, closingReasons } from "#desk/api.ts";
import { texts } from "#desk/language.ts";
import { NoteField, noteIn } from "#desk/leads/note-field.tsx";
import { Form } from "#desk/ui/form.tsx";
import type { PanelProps } from "./panel-props.ts";

/** Closes the lead, with a reason. */
export function ClosePanel({ progress, busy, draft, onSave, onCancel }: PanelProps) {
  return (
    <Form
      legend={texts.why}
      submitLabel={texts.close}
      busy={busy}
      onSave={(values) =>
        onSave({
          state: "closed",
          closing_reason: values["reason"] as ClosingReason,
          ...noteIn(values),
          seen: progress.changed_at,
        })
      }
      onCancel={onCancel}
    >
      {closingReasons.map((reason) => (
        <label key={reason} className="desk-choice">
          <input type="radio" name="reason" value={reason} required />
          {texts.reasons[reason]}
        </label>
      ))}
      <NoteField label={texts.optionalNote} draft={draft} />
    </Form>
  );
}
