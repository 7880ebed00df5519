import { describe, expect, it } from "vitest";
import cases from "../../../../services/lead-intake/tests/registration-cases.json" with {
  type: "json",
};
import { payloadOf, validateRegistration } from "./registration.ts";

const base = {
  interests: ["purchase"],
  name: "Tan Mei Ling",
  mobile: "+65 9123 4567",
  email: "mei@example.com",
  questions: "",
  antiSpam: "7",
  privacyAccepted: true,
};

describe("the rules of the form, by the cases that the server's are tested with", () => {
  it("has cases", () => expect(cases.length).toBeGreaterThan(50));

  it.each(cases)("$title", ({ set, errors }) => {
    const result = validateRegistration({ ...base, ...set });
    expect(result.ok ? {} : result.errors).toEqual(errors);
  });
});

describe("the payload", () => {
  const accepted = (set: object) => {
    const result = validateRegistration({ ...base, ...set });
    if (!result.ok) {
      throw new Error(`refused: ${JSON.stringify(result.errors)}`);
    }
    return payloadOf(result.registration);
  };

  it("is exactly the five fields, trimmed but for the question", () => {
    const payload = accepted({ name: " 陈伟\u3000", email: " a@b.co ", questions: " 好吗？ " });
    expect(payload).toEqual({
      interests: ["purchase"],
      name: "陈伟",
      mobile: "+65 9123 4567",
      email: "a@b.co",
      questions: " 好吗？ ",
    });
  });

  it("turns half an emoji into a replacement character and leaves whole ones alone", () => {
    expect(accepted({ name: "a\ud83d", questions: "\udc00🏙️" })).toMatchObject({
      name: "a\ufffd",
      questions: "\ufffd🏙️",
    });
  });
});
