import "./checkbox.css";
import "./field.css";

/** Marks a required field visually. Assistive technology reads `aria-required`. */
export function Asterisk() {
  return (
    <span className="asterisk" aria-hidden="true">
      *
    </span>
  );
}

/** Describes an element by the error line of a field, and by its hint. */
export function describedBy(field: string, error: string | undefined, hint?: string) {
  const ids = [hint !== undefined && hintId(field), error !== undefined && errorId(field)];
  return { "aria-describedby": ids.filter(Boolean).join(" ") || undefined };
}

const hintId = (field: string) => `${field}-hint`;

const errorId = (field: string) => `${field}-error`;

/** The error line under a field, which keeps its height while empty. */
export function FieldError({ id, children }: { id: string; children: string | undefined }) {
  return (
    <p className="field-error" id={errorId(id)}>
      {children}
    </p>
  );
}

interface FieldProps extends Omit<React.InputHTMLAttributes<HTMLInputElement>, "width"> {
  id: string;
  label: string;
  error: string | undefined;
  /** Shown under the input, so that inputs of one row start at one height. */
  hint?: string;
  /** Marks a field that may stay empty. */
  optional?: string;
  /** `half` shares its row; `short` is as narrow, but alone in its row, with room for a long error. */
  width?: "full" | "half" | "short";
  rows?: number;
}

/** A labelled input with room for its error, so that nothing moves when one appears. */
export function Field({ id, label, error, hint, optional, width = "full", ...input }: FieldProps) {
  // Both elements have the properties that the form sets.
  const Element = (input.rows === undefined ? "input" : "textarea") as "input";
  return (
    <div className={`field-${width}`}>
      <label className="field-label" htmlFor={id}>
        {label}{" "}
        {optional === undefined ? (
          <Asterisk />
        ) : (
          <span className="field-hint quiet">{optional}</span>
        )}
      </label>
      <Element
        id={id}
        className="field-input"
        // By content, because a name may have another script than the page.
        dir="auto"
        aria-required={optional === undefined}
        aria-invalid={error !== undefined}
        {...describedBy(id, error, hint)}
        {...input}
      />
      {hint !== undefined && (
        <p className="field-help quiet" id={hintId(id)}>
          {hint}
        </p>
      )}
      <FieldError id={id}>{error}</FieldError>
    </div>
  );
}

interface CheckboxProps extends Omit<React.InputHTMLAttributes<HTMLInputElement>, "type"> {
  id: string;
  /** The field whose error line describes it. */
  field: string;
  error: string | undefined;
  children: React.ReactNode;
}

export function Checkbox({ id, field, error, children, ...input }: CheckboxProps) {
  return (
    <label className="checkbox" htmlFor={id}>
      <span className="checkbox-box">
        <input
          id={id}
          type="checkbox"
          className="checkbox-input"
          aria-invalid={error !== undefined}
          {...describedBy(field, error)}
          {...input}
        />
        <svg className="checkbox-tick" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 12.5l4.5 4.5L19 7.5" />
        </svg>
      </span>
      <span>{children}</span>
    </label>
  );
}
