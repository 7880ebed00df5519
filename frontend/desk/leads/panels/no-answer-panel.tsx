import { texts } from "#desk/language.ts";
import { recordNoAnswer } from "#desk/leads/changes.ts";
import { callIn, NextCallFields } from "#desk/leads/next-step-fields.tsx";
import { NoteField } from "#desk/leads/note-field.tsx";
import { inHours } from "#desk/time.ts";
import { Form } from "#desk/ui/form.tsx";
import type { PanelProps } from "./panel-props.ts";

export function NoAnswerPanel({ progress, me, busy, draft, onSave, onCancel }: PanelProps) {
  return (
    <Form
      legend={texts.noAnswer}
      busy={busy}
      onSave={(values) => onSave(recordNoAnswer(progress, callIn(values, me)))}
      onCancel={onCancel}
    >
      <NoteField label={texts.optionalNote} draft={draft} />
      <NextCallFields
        progress={progress}
        zone={me.time_zone}
        sooner={{ [texts.inTwoHours]: inHours(2) }}
      />
    </Form>
  );
}
