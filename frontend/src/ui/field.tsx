import type { InputHTMLAttributes } from "react";
import { Asterisk } from "./asterisk.tsx";
import { errorId, FieldError } from "./field-error.tsx";
import "./field.css";

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "width"> {
  id: string;
  label: string;
  error: string | undefined;
  /** Shown beside the label of a field that may stay empty. Without it, the field is required. */
  optional?: string;
  /** `half` shares its row; `short` is as narrow, but alone in its row, with room for a long error. */
  width?: "full" | "half" | "short";
  /** Of a field with several lines. */
  rows?: number;
}

/** A labelled input with room for its error, so that nothing moves when one appears. */
export function Field({ id, label, error, optional, width = "full", ...input }: FieldProps) {
  // The properties that the form sets exist on both elements.
  const Element = (input.rows === undefined ? "input" : "textarea") as "input";
  return (
    <div className={`field-${width}`}>
      <label className="field-label" htmlFor={id}>
        {label}{" "}
        {optional === undefined ? (
          <Asterisk />
        ) : (
          <span className="field-optional quiet">{optional}</span>
        )}
      </label>
      <Element
        id={id}
        className="field-input"
        // As typed: a name may be of another script than the page.
        dir="auto"
        aria-required={optional === undefined}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : errorId(id)}
        {...input}
      />
      <FieldError id={id}>{error}</FieldError>
    </div>
  );
}
