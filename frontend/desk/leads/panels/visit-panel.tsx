import { language, texts } from "#desk/language.ts";
import { bookVisit } from "#desk/leads/changes.ts";
import { NextStepFields, nextStepIn } from "#desk/leads/next-step-fields.tsx";
import { NoteField, noteIn } from "#desk/leads/note-field.tsx";
import { inDayAndHour, weekendVisits } from "#desk/time.ts";
import { Form } from "#desk/ui/form.tsx";
import type { PanelProps } from "./panel-props.ts";

export function VisitPanel({ progress, me, busy, draft, onSave, onCancel }: PanelProps) {
  const { name, time_zone: zone } = me;
  const times = weekendVisits(zone).map((at) => [inDayAndHour(at, language, zone), at]);
  return (
    <Form
      legend={texts.visit}
      busy={busy}
      onSave={(values) =>
        onSave({ ...bookVisit(progress, name, nextStepIn(values, zone)), ...noteIn(values) })
      }
      onCancel={onCancel}
    >
      <NoteField label={texts.optionalNote} draft={draft} />
      <NextStepFields zone={zone} times={Object.fromEntries(times)} />
    </Form>
  );
}
