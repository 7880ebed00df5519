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

/** Facts of the specification, copied by hand. */
const projectFacts = {
  en: {
    overview: {
      lead: "Zyon Grand has 706 homes in two 62-storey towers, next to a metro station in a central district of the city.",
      third:
        "A third tower has 36 storeys of serviced apartments, with restaurants, a supermarket and a childcare centre.",
    },
    information: {
      developerText: "A joint venture company",
      descriptionText:
        "Mixed residential and commercial development: two 62-storey residential towers with retail, and one 36-storey tower of serviced apartments with restaurants, a supermarket and a childcare centre",
      unitsText: "706 residential units",
      tenureText: "Leasehold, 99 years from 15 July 2024",
      unitTypesText: "1 Bedroom + Study to 5 Bedroom Supreme, and 2 penthouses",
    },
    location: {
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
        eateries: "More eateries",
        shoppingBelt: "Shopping belt",
        clinics: "Clinics",
        hospitals: "Hospitals",
        withinKilometres: "within 1.5 km",
        aboutKilometre: "about 1 km",
        minutesByCar: "within 8 min by car",
      },
    },
  },
  zh: {
    overview: {
      lead: "Zyon Grand 坐落城市中央地段，紧邻地铁站，两座62层塔楼，共706户。",
      third: "第三座塔楼为36层服务公寓，设有餐厅、超市与托儿中心。",
    },
    information: {
      developerText: "一家合资公司",
      descriptionText:
        "住宅与商业综合发展项目：两座62层住宅塔楼，附设商铺；一座36层服务公寓塔楼，设有餐厅、超市与托儿中心",
      unitsText: "706个住宅单位",
      tenureText: "99年，自2024年7月15日起计",
      unitTypesText: "一卧房加书房至五卧房至尊型，另有2个顶层公寓单位",
    },
    location: {
      roads: {
        heading: "道路与交通",
        text: "两座地铁站分别距项目70米与320米，另外两座分别距1.5公里与1.7公里。",
      },
      recreation: { heading: "休闲、餐饮与购物" },
      offices: { heading: "办公与商务" },
      nearby: {
        shopping: "购物",
        schools: "学校",
        businessParks: "商业园",
        healthcare: "医疗",
        eateries: "更多餐饮",
        shoppingBelt: "购物地带",
        clinics: "诊所",
        hospitals: "医院",
        withinKilometres: "1.5公里内",
        aboutKilometre: "约1公里",
        minutesByCar: "车程8分钟内",
      },
    },
  },
};

const facilityNames = {
  en: [
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
  ],
  zh: [
    "健身房",
    "健身泳池",
    "儿童泳池",
    "健身角",
    "多功能厅",
    "会所",
    "烧烤区",
    "户外凉亭",
    "屋顶露台",
    "绿意花园",
  ],
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

  it.each(languages)("have the facts of the project in %s", (language) => {
    const texts = JSON.parse(breakable(JSON.stringify(messages[language]))) as Messages;
    expect(texts).toMatchObject(projectFacts[language]);
    const { heading: _heading, note, ...list } = texts.facilities;
    expect(Object.values(list).map(({ heading }) => heading)).toEqual(facilityNames[language]);
    expect(note).toContain({ en: "preliminary placeholder", zh: "初步资料" }[language]);
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
