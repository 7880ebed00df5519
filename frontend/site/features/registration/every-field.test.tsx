import { render } from "@testing-library/react";
import { MemoryRouter } from "react-router-dom";
import { expect, it } from "vitest";
import { type Language, languages } from "#shared/i18n/language.ts";
import { I18nProvider } from "#shared/i18n/use-translation.tsx";
import { memoryStorage } from "#site/testing/memory-storage.ts";
import { testI18n } from "#site/testing/test-i18n.ts";
import { type FieldName, fieldNames } from "./registration.ts";
import { RegistrationForm } from "./registration-form.tsx";
import { RegistrationProvider } from "./registration-provider.tsx";

/** Shown only after a choice: `plan` by a link, and `times` for visitors of the show flat. */
const conditional: string[] = ["plan", "times"] satisfies FieldName[];

function renderForm(language: Language): HTMLElement {
  const services = { submit: () => new Promise<never>(() => {}), storage: memoryStorage() };
  const { container } = render(
    <MemoryRouter>
      <I18nProvider i18n={testI18n(language)}>
        <RegistrationProvider services={services}>
          <RegistrationForm />
        </RegistrationProvider>
      </I18nProvider>
    </MemoryRouter>,
  );
  return container;
}

it("has an input for every field", () => {
  const container = renderForm("en");
  const inputs = fieldNames.filter((name) => !conditional.includes(name));
  const missing = inputs.filter((name) => container.querySelector(`[name="${name}"]`) === null);
  expect(missing).toEqual([]);
});

it.each(languages)("marks the required fields with an asterisk, in %s", (language) => {
  const container = renderForm(language);
  const marked = [...container.querySelectorAll(".asterisk")].map((asterisk) => {
    expect(asterisk.textContent).toBe("*");
    const label = asterisk.closest("label");
    return label?.htmlFor ?? asterisk.closest("legend")?.id;
  });
  expect(marked).toEqual([
    "interests-label",
    "name",
    "mobile",
    "email",
    "antiSpam",
    "privacyAccepted",
  ]);
});
