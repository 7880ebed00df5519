import type { FormEvent, ReactNode } from "react";
import { texts } from "#desk/language.ts";
import { Button } from "./button.tsx";

/** The values of a form's fields, by name. */
export type Values = Record<string, string>;

interface FormProps {
  legend: string;
  /** Label of the button that saves. */
  submitLabel?: string;
  busy: boolean;
  /** Absent if the children are buttons that save. */
  onSave?: (values: Values, fields: FormData) => void;
  onCancel: () => void;
  children?: ReactNode;
}

export function Form({
  legend,
  submitLabel = texts.save,
  busy,
  onSave,
  onCancel,
  children,
}: FormProps) {
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (!busy) {
      const fields = new FormData(event.currentTarget);
      onSave?.(
        Object.fromEntries([...fields].map(([name, value]) => [name, String(value)])),
        fields,
      );
    }
  }

  return (
    <form className="desk-panel" onSubmit={submit}>
      <fieldset>
        <legend className="field-legend">{legend}</legend>
        {children}
      </fieldset>
      <p className="desk-buttons">
        {onSave !== undefined && (
          <Button type="submit" busy={busy}>
            {submitLabel}
          </Button>
        )}
        <Button plain disabled={busy} onClick={onCancel}>
          {texts.cancel}
        </Button>
      </p>
    </form>
  );
}
