import { describe, expect, it } from "vitest";
import { languages } from "#shared/i18n/language.ts";
import { facts } from "#site/content/facts.ts";
import { messages, texts } from "./all-languages.ts";
import { breakable } from "./breakable.ts";
import { createI18n } from "./create-i18n.ts";
import type { Messages } from "./messages.ts";

/** Empty until the owner announces them. A release build fails before. */
const openFacts = ["privacy.retention", "privacy.privacyContact"];

/** Figures above ten in words. */
const writtenFigures = {
  en: /\b(?:eleven|twelve|\w+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred)\b/gi,
  zh: /[一二三四五六七八九十百]{2,}/g,
};

/** The facts of those figures, which a placeholder would write in digits. */
const knownFigures = {
  en: { seventy: facts.firstStation, twelve: facts.plans },
  zh: { 六十二: facts.storeys, 七十: facts.firstStation, 十二: facts.plans },
};

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

  it.each(languages)("in %s write only known figures in words, as in the facts", (language) => {
    const written = JSON.stringify(texts[language]).match(writtenFigures[language]) ?? [];
    expect(new Set(written.map((words) => words.toLowerCase()))).toEqual(
      new Set(Object.keys(knownFigures[language])),
    );
    expect(Object.values(knownFigures[language])).toEqual(
      { en: ["70", "12"], zh: ["62", "70", "12"] }[language],
    );
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
    expect(Object.values(messages.en.nav)).toEqual([
      "Home",
      "Floor Plans",
      "Developer",
      "Zyon Grand",
      "Central Region",
      "Blog",
      "Show Flat",
      "Contact",
    ]);
    expect(messages.en.bar.register).toBe("Register Interest");
    expect(messages.en.update.label).toBe("Latest Update");
    expect(messages.en.callToAction).toMatchObject({
      heading: "Register to Get Latest Info when Released.",
      button: "Register your Interest",
    });
    expect(messages.en.contact.heading).toBe("Register your Interest Now");
    expect(messages.en.plans.download).toBe("Download Plan");
    expect(messages.en.visit).toMatchObject({
      heading: "Schedule a Showflat Visit",
      button: "Register Your Interest",
    });
    expect(messages.en.registration.antiSpam).toBe("What is 5+2?");
    expect(messages.en.footer.copyright).toContain("2025");
    expect(messages.en.toBeAnnounced).toBe("To be announced");
    expect(messages.en.notFound).toMatchObject({ heading: "404", text: "Oops! Page not found" });
    expect(messages.en.unexpected.heading).toBe("Unexpected Application Error!");
  });

  it("have the facts of the project", () => {
    const { facilities, information, location } = JSON.parse(
      breakable(JSON.stringify(messages.en)),
    ) as Messages;
    expect(information).toMatchObject({
      developerText: "A joint venture company",
      unitsText: "706 residential units",
      tenureText: "Leasehold, 99 years from 15 July 2024",
      unitTypesText: "1 Bedroom + Study to 5 Bedroom Supreme, and 2 penthouses",
    });
    const { heading: _heading, note, ...list } = facilities;
    expect(Object.values(list).map(({ heading }) => heading)).toEqual([
      "Gymnasium",
      "Lap pool",
      "Kid’s pool",
      "Fitness corner",
      "Function rooms",
      "Club house",
      "Barbeque pits",
      "Outdoor pavilion",
      "Rooftop terraces",
      "Green gardens",
    ]);
    expect(note).toContain("preliminary placeholder");
    expect(location).toMatchObject({
      roads: {
        heading: "Roads and connectivity",
        text: "Two metro stations are 70 m and 320 m away, and two more 1.5 km and 1.7 km.",
      },
      recreation: { heading: "Recreation, food and shopping" },
      offices: { heading: "Workplace and offices" },
      nearby: {
        shopping: "Shopping",
        schools: "Schools",
        businessParks: "Business parks",
        healthcare: "Healthcare",
        withinKilometres: "within 1.5 km",
        aboutKilometre: "about 1 km",
        minutesByCar: "within 8 min by car",
      },
    });
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
