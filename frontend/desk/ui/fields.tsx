import { type InputHTMLAttributes, type ReactNode, useState } from "react";
import { texts } from "#desk/language.ts";
import { textLimits } from "#shared/content/text-limits.ts";

interface FieldProps {
  label: string;
  id: string;
  children: ReactNode;
}

export function Field({ label, id, children }: FieldProps) {
  return (
    <div>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {children}
    </div>
  );
}

interface TextFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  name: string;
}

/** The field of a text, with the limit of the form's field of this name. */
export function TextField({ label, ...input }: TextFieldProps) {
  const id = `desk-${input.name}`;
  const limits: Partial<Record<string, number>> = textLimits;
  return (
    <Field label={label} id={id}>
      <input
        id={id}
        className="field-input"
        autoComplete="off"
        required
        maxLength={limits[input.name]}
        {...input}
      />
    </Field>
  );
}

/** The field of a phone number, by the rules of the form. */
export const mobileInput = {
  label: texts.fields.mobile,
  name: "mobile",
  type: "tel",
  minLength: 8,
};

/** The field of a name, by the rules of the form. */
export const nameInput = { label: texts.fields.name, name: "name" };

/** The field of an email address, by the rules of the form. */
export const emailInput = { label: texts.fields.email, name: "email", type: "email" };

interface ChipsProps {
  legend: string;
  name: string;
  /** The label of each value. */
  choices: (readonly [label: string, value: string])[];
  /** Whether several can be chosen; at least one must be. */
  isMultiple?: boolean;
  initial?: string;
  onChange?: (value: string) => void;
}

/** Choices of which one is required. */
export function Chips({ legend, name, choices, isMultiple, initial, onChange }: ChipsProps) {
  const [count, setCount] = useState(0);
  return (
    <fieldset className="desk-buttons">
      <legend className="field-label">{legend}</legend>
      {choices.map(([label, value]) => (
        <label key={label} className="chip">
          <input
            type={isMultiple ? "checkbox" : "radio"}
            className="visually-hidden"
            name={name}
            value={value}
            required={!isMultiple || count === 0}
            defaultChecked={value === initial}
            onChange={({ target }) => {
              setCount(count + (target.checked ? 1 : -1));
              onChange?.(value);
            }}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
