import { useState } from "react";
import type { Me, Progress } from "#desk/api.ts";
import { language, texts } from "#desk/language.ts";
import { clockIn, daysUntil, inDays, instantIn, zoneName } from "#desk/time.ts";
import { Chips, Field } from "#desk/ui/fields.tsx";
import type { Values } from "#desk/ui/form.tsx";
import type { Call } from "./changes.ts";

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

interface NextCallFieldsProps {
  progress: Progress;
  zone: string;
  /** Earlier times than those of all calls, by their labels. */
  sooner?: Record<string, string>;
}

/** When to call again. After a call, a planned visit remains the next step. */
export function NextCallFields({ progress, zone, sooner = {} }: NextCallFieldsProps) {
  const times = {
    ...sooner,
    [texts.tomorrow]: inDays(zone, 1),
    [texts.inThreeDays]: inDays(zone, 3),
    [texts.nextMonday]: inDays(zone, daysUntil(zone, 1)),
  };
  return progress.state !== "visit_booked" && <NextStepFields zone={zone} times={times} optional />;
}

/** The call that a person recorded with a note and `NextCallFields`. */
export function callIn(values: Values, { name, time_zone }: Me): Call {
  return { by: name, said: values["note"] ?? "", next: nextStepIn(values, time_zone) };
}
