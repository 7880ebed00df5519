import type { InputHTMLAttributes, ReactNode, TextareaHTMLAttributes } from "react";
import { Asterisk } from "./asterisk.tsx";
import { errorId, FieldError } from "./field-error.tsx";
import "./field.css";

type Width = "full" | "half" | "short";

interface FieldProps {
  id: string;
  label: string;
  error: string | undefined;
  /** Said beside the label of a field that may stay empty; without it, the field is required. */
  optional?: string;
  /** `half` shares its row; `short` is as narrow, but alone in its row, with room for a long error. */
  width?: Width;
}

type InputProps = FieldProps & Omit<InputHTMLAttributes<HTMLInputElement>, "id" | "width">;
type TextAreaProps = FieldProps & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "id">;

/** A labelled input with room kept for its error, so that nothing jumps when one comes. */
export function InputField({ id, label, error, optional, width, ...input }: InputProps) {
  return (
    <Frame id={id} label={label} error={error} optional={optional} width={width}>
      <input id={id} className="field-input" {...stateOf(id, error, optional)} {...input} />
    </Frame>
  );
}

export function TextAreaField({ id, label, error, optional, width, ...area }: TextAreaProps) {
  return (
    <Frame id={id} label={label} error={error} optional={optional} width={width}>
      <textarea
        id={id}
        className="field-input field-area"
        {...stateOf(id, error, optional)}
        {...area}
      />
    </Frame>
  );
}

interface FrameProps {
  id: string;
  label: string;
  error: string | undefined;
  optional: string | undefined;
  width: Width | undefined;
  children: ReactNode;
}

function Frame({ id, label, error, optional, width = "full", children }: FrameProps) {
  return (
    <div className={`field-${width}`}>
      <label className="field-label" htmlFor={id}>
        {label}{" "}
        {optional === undefined ? <Asterisk /> : <span className="field-optional">{optional}</span>}
      </label>
      {children}
      <FieldError id={id}>{error}</FieldError>
    </div>
  );
}

function stateOf(id: string, error: string | undefined, optional: string | undefined) {
  return {
    // As it is typed: a name may be of another script than the page.
    dir: "auto",
    "aria-required": optional === undefined,
    "aria-invalid": error !== undefined,
    "aria-describedby": error === undefined ? undefined : errorId(id),
  };
}
