import type { InputHTMLAttributes, ReactNode } from "react";
import "./checkbox.css";

interface CheckboxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "type"> {
  id: string;
  children: ReactNode;
}

/** A row that is a target from edge to edge, with a real checkbox at its start. */
export function Checkbox({ id, children, ...input }: CheckboxProps) {
  return (
    <label className="checkbox" htmlFor={id}>
      <span className="checkbox-box">
        <input id={id} type="checkbox" className="checkbox-input" {...input} />
        <svg className="checkbox-tick" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 12.5l4.5 4.5L19 7.5" />
        </svg>
      </span>
      <span>{children}</span>
    </label>
  );
}
