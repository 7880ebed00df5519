import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { floorPlans, withThousands } from "#shared/content/floor-plans.ts";
import { messages } from "#site/i18n/all-languages.ts";
import { breakable } from "#site/i18n/breakable.ts";
import type { Messages } from "#site/i18n/messages.ts";
import api from "../../../../services/lead-intake/openapi.json" with { type: "json" };
import cases from "../../../../services/lead-intake/tests/registration-cases.json" with {
  type: "json",
};
import enquiry from "../../../../services/shared/lead/src/enquiry.json" with { type: "json" };
import {
  bedroomIds,
  emptyRegistration,
  homeIds,
  isErrorCode,
  payloadOf,
  purposeIds,
  registrationSchema,
  visitTimes,
} from "./registration.ts";

const base = {
  ...emptyRegistration,
  interests: ["purchase"],
  name: "Tan Mei Ling",
  mobile: "+65 9123 4567",
  email: "mei@example.com",
  antiSpam: "7",
  privacyAccepted: true,
};

const accepted = (set: object) => v.parse(registrationSchema, { ...base, ...set });

describe("form rules, by the cases shared with the server", () => {
  it("are tested by more than 80 cases", () => expect(cases.length).toBeGreaterThan(80));

  it.each(cases)("$title", ({ set, errors, cleaned }) => {
    const result = v.safeParse(registrationSchema, { ...base, ...set });
    const found: Record<string, string[]> = {};
    for (const { path, message } of result.issues ?? []) {
      const field = String(path?.[0].key);
      found[field] = [...(found[field] ?? []), message];
    }
    expect(found).toEqual(errors);
    expect(
      Object.values(found)
        .flat()
        .filter((code) => !isErrorCode(code)),
    ).toEqual([]);
    if (cleaned !== undefined) {
      expect(result.output).toMatchObject(cleaned);
    }
  });
});

it("folds full-width digits of a mobile number, as input methods enter them", () => {
  expect(accepted({ mobile: "＋６５ ９１２３ ４５６７" })).toMatchObject({
    mobile: "+65 9123 4567",
  });
});

describe("the payload", () => {
  it("has exactly the fields that the API accepts", () => {
    const fields = Object.keys(api.components.schemas.Registration.properties);
    expect(Object.keys(payloadOf(accepted({}))).toSorted()).toEqual(fields.toSorted());
  });

  it("has cleaned fields", () => {
    const registration = accepted({
      name: " 陈伟\u3000",
      email: " a＠b.co ",
      questions: " 好吗？ ",
    });
    expect(payloadOf(registration)).toMatchObject({
      interests: ["purchase"],
      name: "陈伟",
      mobile: "+65 9123 4567",
      email: "a@b.co",
      questions: "好吗？",
    });
  });

  it("replaces half emojis and keeps whole ones", () => {
    expect(accepted({ name: "a\ud83d", questions: "\udc00🏙️" })).toMatchObject({
      name: "a\ufffd",
      questions: "\ufffd🏙️",
    });
  });
});

describe("the services", () => {
  it("have the plans of the site, with their texts", () => {
    const inBothLanguages = (text: (messages: Messages) => string) => ({
      en: breakable(text(messages.en)),
      zh: breakable(text(messages.zh)),
    });
    expect(enquiry.plans).toEqual(
      floorPlans.map(({ id, size }) => ({
        id,
        area: withThousands(size),
        name: inBothLanguages(({ unit }) => unit[id].heading),
      })),
    );
  });

  it("have the visit times of the site", () => {
    expect(enquiry.times.map(({ id }) => id)).toEqual(visitTimes);
    for (const { id, name } of enquiry.times) {
      const [day, hour] = id.slice(0, -1).split("-") as ["weekday", "morning"];
      const { visit } = messages.zh.registration;
      expect(name).toEqual({
        en: id.replace("-", " "),
        zh: `${visit.day[day]}${visit.hour[hour]}`,
      });
    }
  });

  it("have the homes of the form, with their texts", () => {
    const { bedrooms, purposes } = enquiry;
    expect([...bedrooms, ...purposes].map(({ id }) => id)).toEqual(homeIds);
    const { homes } = messages.zh.registration;
    const chips = bedroomIds.map((id) => homes[id].replace(homes.unit, ""));
    expect(bedrooms.map(({ number }) => number)).toEqual(
      chips.map((zh, index) => ({ en: String(index + 1), zh })),
    );
    expect(purposes.map(({ name }) => name.zh)).toEqual(purposeIds.map((id) => homes[id]));
  });
});
