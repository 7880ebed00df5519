import { render, screen } from "@testing-library/react";
import { I18nextProvider } from "react-i18next";
import { expect, it } from "vitest";
import type { Language } from "#i18n/language.ts";
import { testI18n } from "#testing/test-i18n.ts";
import { ContactWays } from "./contact-ways.tsx";

type Facts = NonNullable<Parameters<typeof ContactWays>[0]["facts"]>;

function show(facts: Facts, message?: string, language: Language = "en") {
  return render(
    <I18nextProvider i18n={testI18n(language)}>
      <ContactWays facts={facts} {...(message !== undefined && { message })} />
    </I18nextProvider>,
  ).container;
}

it("a way that is not known is not spoken of", () => {
  expect(show({}).innerHTML).toBe("");
  expect(show({ wechat: "zyongrand" }).querySelectorAll("li")).toHaveLength(1);
});

it.each([
  ["en", "Message us on WhatsApp"],
  ["zh", "通过 WhatsApp 联系我们"],
] as const)(
  "known ways can be followed, WhatsApp with what is asked about, in %s",
  (language, name) => {
    const facts = {
      salesTelephone: "+65 6123 4567",
      whatsapp: "+65 9123 4567",
      wechat: "zyongrand",
    };
    const shown = show(facts, "About B2 & parking", language);
    expect(screen.getByRole("link", { name: "+65 6123 4567" }).getAttribute("href")).toBe(
      "tel:+6561234567",
    );
    expect(screen.getByRole("link", { name }).getAttribute("href")).toBe(
      "https://wa.me/6591234567?text=About%20B2%20%26%20parking",
    );
    expect(shown.textContent).toContain("zyongrand");
  },
);
