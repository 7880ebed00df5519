import { texts } from "#desk/language.ts";
import { recordCall } from "#desk/leads/changes.ts";
import { callIn, NextCallFields } from "#desk/leads/next-step-fields.tsx";
import { NoteField } from "#desk/leads/note-field.tsx";
import { Form } from "#desk/ui/form.tsx";
import type { PanelProps } from "./panel-props.ts";

export function TalkedPanel({ progress, me, busy, draft, onSave, onCancel }: PanelProps) {
  return (
    <Form
      legend={texts.called}
      busy={busy}
      onSave={(values) => onSave(recordCall(progress, callIn(values, me)))}
      onCancel={onCancel}
    >
      <NoteField label={texts.whatSaid} draft={draft} />
      <NextCallFields progress={progress} zone={me.time_zone} />
    </Form>
  );
}
