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

/** Describes an element by the error line of a field. */
export function describedBy(field: string, error: string | undefined) {
  return { "aria-describedby": error === undefined ? undefined : errorId(field) };
}

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
  /** Shown beside the label. */
  hint?: string;
  /** The field may stay empty. */
  isOptional?: boolean;
  /** `half` shares its row; `short` is as narrow, but alone in its row, with room for a long error. */
  width?: "full" | "half" | "short";
  rows?: number;
}

/** A labelled input with room for its error, so that nothing moves when one appears. */
export function Field({
  id,
  label,
  error,
  hint,
  isOptional = false,
  width = "full",
  ...input
}: FieldProps) {
  // Both elements have the properties that the form sets.
  const Element = (input.rows === undefined ? "input" : "textarea") as "input";
  return (
    <div className={`field-${width}`}>
      <label className="field-label" htmlFor={id}>
        {label} {!isOptional && <Asterisk />}
        {hint && <span className="field-hint quiet">{hint}</span>}
      </label>
      <Element
        id={id}
        className="field-input"
        // By content, because a name may have another script than the page.
        dir="auto"
        aria-required={!isOptional}
        aria-invalid={error !== undefined}
        {...describedBy(id, error)}
        {...input}
      />
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
