import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { textLimits } from "#shared/content/text-limits.ts";
import { emailInput, mobileInput, nameInput, TextField } from "./fields.tsx";

it.each([nameInput, mobileInput, emailInput])("$name has the limit of the form", (input) => {
  render(<TextField {...input} />);
  const limit = textLimits[input.name as keyof typeof textLimits];
  expect(screen.getByLabelText<HTMLInputElement>(input.label).maxLength).toBe(limit);
});
