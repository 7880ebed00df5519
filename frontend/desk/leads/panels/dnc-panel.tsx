import { channels, type DncCheck } from "#desk/api.ts";
import { texts } from "#desk/language.ts";
import { clockIn, instantIn } from "#desk/time.ts";
import { TextField } from "#desk/ui/fields.tsx";
import { Form, type Values } from "#desk/ui/form.tsx";
import type { PanelProps } from "./panel-props.ts";

/** The day and the result of looking up the visitor's number in the Do Not Call registry. */
export function DncPanel({ me, busy, onSave, onCancel }: PanelProps) {
  const { time_zone: zone } = me;
  const today = clockIn(zone, new Date()).slice(0, 10);
  return (
    <Form
      legend={texts.dnc.record}
      busy={busy}
      onSave={(values) => onSave({ dnc_check: dncCheckIn(values, zone) })}
      onCancel={onCancel}
    >
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
    </Form>
  );
}

function dncCheckIn(values: Values, zone: string): DncCheck {
  return {
    checked_at: instantIn(zone, `${values["dnc-day"]}T00:00`),
    listed: channels.filter((id) => values[`dnc-${id}`] !== undefined),
  };
}
