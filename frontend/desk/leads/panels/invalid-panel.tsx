import { texts } from "#desk/language.ts";
import { Form } from "#desk/ui/form.tsx";
import type { PanelProps } from "./panel-props.ts";

/** Asks whether the lead is no enquiry. */
export function InvalidPanel({ progress, busy, onSave, onCancel }: PanelProps) {
  return (
    <Form
      legend={texts.reallyNot}
      submitLabel={texts.yesInvalid}
      busy={busy}
      onSave={() => onSave({ state: "invalid", seen: progress.changed_at })}
      onCancel={onCancel}
    />
  );
}
