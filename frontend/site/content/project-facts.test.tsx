import { render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Language } from "#shared/i18n/language.ts";
import { I18nProvider } from "#shared/i18n/use-translation.tsx";
import { testI18n } from "#site/testing/test-i18n.ts";
import { project } from "./project.ts";
import { ContactWays } from "./project-facts.tsx";

const known = {
  salesPhone: "+65 6123 4567",
  whatsapp: "+65 9123 4567",
  wechat: "zyongrand",
};

afterEach(() => {
  for (const fact of Object.keys(known) as (keyof typeof known)[]) {
    project[fact] = undefined;
  }
});

function renderContactWays(facts: Partial<typeof known>, language: Language = "en") {
  Object.assign(project, facts);
  return render(
    <I18nProvider i18n={testI18n(language)}>
      <ContactWays message="About B2 & parking" />
    </I18nProvider>,
  ).container;
}

it("omits unknown contact channels", () => {
  expect(renderContactWays({}).innerHTML).toBe("");
  expect(renderContactWays({ wechat: "zyongrand" }).querySelectorAll("li")).toHaveLength(1);
});

it.each([
  ["en", "Message us on WhatsApp"],
  ["zh", "通过 WhatsApp 联系我们"],
] as const)("links to known contact channels in %s", (language, name) => {
  const shown = renderContactWays(known, language);
  expect(screen.getByRole("link", { name: "+65 6123 4567" }).getAttribute("href")).toBe(
    "tel:+6561234567",
  );
  expect(screen.getByRole("link", { name }).getAttribute("href")).toBe(
    "https://wa.me/6591234567?text=About%20B2%20%26%20parking",
  );
  expect(shown.textContent).toContain("zyongrand");
});
