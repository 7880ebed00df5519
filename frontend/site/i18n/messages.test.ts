import { describe, expect, it } from "vitest";
import { languages } from "#shared/i18n/language.ts";
import { facts } from "#site/content/facts.ts";
import { messages, texts } from "./all-languages.ts";
import { createI18n } from "./create-i18n.ts";

/** Empty until the owner announces them. A release build fails before. */
const openFacts = ["privacy.retention", "privacy.privacyContact"];

describe("texts", () => {
  it.each(languages)("are complete in %s, and none is empty", (language) => {
    const texts = Object.entries(flatten(messages[language]));
    expect(texts.map(([key]) => key)).toEqual(Object.keys(flatten(messages.en)));
    const empty = texts.filter(([, text]) => text === "").map(([key]) => key);
    expect(empty.filter((key) => !openFacts.includes(key))).toEqual([]);
  });

  it.each(languages)("in %s refer to facts instead of repeating their figures", (language) => {
    const figures = Object.values(facts).flatMap((fact) => {
      const figure = typeof fact === "string" ? fact : fact.en;
      // Small numbers count other things too.
      return figure.length > 2 || Number(figure) > 12 ? [figure] : [];
    });
    for (const [key, text] of Object.entries(flatten(texts[language]))) {
      const typed = String(text).match(/\d+(?:[.,]\d+)*/g) ?? [];
      expect(
        typed.filter((figure) => figures.includes(figure)),
        key,
      ).toEqual([]);
    }
  });

  it("have only placeholders that a component fills", () => {
    const names = JSON.stringify(messages).matchAll(/\{\{(\w+)\}\}/g);
    expect([...new Set([...names].map(([, name]) => name))].sort()).toEqual([
      "bathrooms",
      "bedrooms",
      "caption",
      "count",
      "first",
      "host",
      "level",
      "limit",
      "name",
      "number",
      "period",
      "price",
      "room",
      "second",
      "text",
      "version",
    ]);
  });

  it("report a missing key", () => {
    const missing: string[] = [];
    const i18n = createI18n("zh", messages.zh, (key) => missing.push(key));
    i18n.t("registration.nonsense" as "registration.name");
    expect(missing).toEqual(["registration.nonsense"]);
  });
});

describe("texts that the specification fixes", () => {
  it("match it word for word", () => {
    expect(messages.en.registration).toMatchObject({
      interest: {
        brochure: "Send me E-Brochure, Floor Plan & Pricing when Released!",
        purchase: "Interested to Purchase",
        showflat: "Interested in Early Brid Showflat Preview when Ready",
      },
      submitting: "Submitting...",
      error: {
        interests_required: "Please select at least one interest",
        name_required: "Name is required",
        name_too_long: "Name must be less than 100 characters",
        mobile_too_short: "Mobile number must be at least 8 digits",
        mobile_too_long: "Mobile number must be less than 20 characters",
        email_invalid: "Invalid email address",
        email_too_long: "Email must be less than 255 characters",
        questions_too_long: "Message must be less than 1000 characters",
        anti_spam_wrong: "Incorrect answer. Please solve the math problem.",
        privacy_required: "You must accept the privacy policy",
      },
    });
    expect(messages.en.toast).toMatchObject({
      accepted: "Thank you for your interest! We will contact you soon.",
      invalid: "Please correct the errors in the form",
      failed: "Failed to submit form. Please try again.",
    });
    expect(messages.en.contact.heading).toBe("Register your Interest Now");
    expect(messages.en.notFound).toMatchObject({ heading: "404", text: "Oops! Page not found" });
    expect(messages.en.unexpected.heading).toBe("Unexpected Application Error!");
  });
});

function flatten(tree: object, prefix = ""): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(tree).flatMap(([key, value]) =>
      typeof value === "string"
        ? [[prefix + key, value]]
        : Object.entries(flatten(value, `${prefix}${key}.`)),
    ),
  );
}
