import type { InputHTMLAttributes, ReactNode } from "react";
import "./checkbox.css";
import { errorId } from "./field-error.tsx";

interface CheckboxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "type"> {
  id: string;
  /** The field whose error line describes it. */
  field: string;
  error: string | undefined;
  children: ReactNode;
}

/** A row that is a target from edge to edge, with a real checkbox at its start. */
export function Checkbox({ id, field, error, children, ...input }: CheckboxProps) {
  return (
    <label className="checkbox" htmlFor={id}>
      <span className="checkbox-box">
        <input
          id={id}
          type="checkbox"
          className="checkbox-input"
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : errorId(field)}
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
