import { texts } from "#desk/language.ts";
import { correctionOf } from "#desk/leads/changes.ts";
import { emailInput, mobileInput, nameInput, TextField } from "#desk/ui/fields.tsx";
import { Form } from "#desk/ui/form.tsx";
import type { PanelProps } from "./panel-props.ts";

/** Corrects the visitor's name, phone number or email address. */
export function CorrectPanel({ lead, progress, busy, onSave, onCancel }: PanelProps) {
  return (
    <Form
      legend={texts.correct}
      busy={busy}
      onSave={(values) => onSave({ ...correctionOf(lead, values), seen: progress.changed_at })}
      onCancel={onCancel}
    >
      <TextField {...nameInput} defaultValue={lead.name} />
      <TextField {...mobileInput} defaultValue={lead.mobile} />
      <TextField {...emailInput} defaultValue={lead.email} />
      <p className="desk-quiet">{texts.correctEmail}</p>
    </Form>
  );
}
