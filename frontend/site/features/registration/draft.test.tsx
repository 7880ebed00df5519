import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { MemoryRouter } from "react-router-dom";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Language } from "#shared/i18n/language.ts";
import { I18nProvider } from "#shared/i18n/use-translation.tsx";
import { Hero } from "#site/pages/home/hero.tsx";
import { memoryStorage } from "#site/testing/memory-storage.ts";
import { testI18n } from "#site/testing/test-i18n.ts";
import { RegistrationForm } from "./registration-form.tsx";
import { RegistrationProvider } from "./registration-provider.tsx";
import type { Outcome, Submission } from "./submit-registration.ts";

const KEY = "zyon-grand.draft";
const accepted: Outcome = { kind: "accepted", reference: "ZG-7F3K-2Q", consent: null };
const failed: Outcome = { kind: "failed", status: null, code: null, tries: 3 };
const unanswered = new Promise<Outcome>(() => {});

/** The storage of one tab, which all pages of a test share. */
let storage = memoryStorage();
let now = 0;
let sent: Submission[] = [];
let outcome: Outcome | Promise<Outcome> = accepted;

beforeEach(() => {
  storage = memoryStorage();
  now = Date.UTC(2026, 10, 20);
  vi.spyOn(Date, "now").mockImplementation(() => now);
  sent = [];
  outcome = accepted;
  vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(() => {});
});

function page(address = "/", language: Language = "en") {
  const services = {
    submit: async (submission: Submission) => {
      sent.push(submission);
      return outcome;
    },
    storage,
  };
  return (
    <StrictMode>
      <MemoryRouter initialEntries={[address]}>
        <I18nProvider i18n={testI18n(language)}>
          <RegistrationProvider services={services}>
            <Hero />
            <RegistrationForm />
          </RegistrationProvider>
        </I18nProvider>
      </MemoryRouter>
    </StrictMode>
  );
}

let current: { unmount(): void } | null = null;

/** A new page in the same tab. */
function load(address?: string, language?: Language) {
  current?.unmount();
  current = render(page(address, language));
}

const label = {
  purchase: "Interested to Purchase",
  showFlat: /Showflat Preview/,
  name: /^Name/,
  mobile: /^Mobile/,
  email: /^Email \*/,
  questions: /^Questions/,
  sum: /^What is 5\+2/,
  consent: /^I have read and accept/,
};
const field = (text: string | RegExp) => screen.getByLabelText<HTMLInputElement>(text);

async function fillIn() {
  await userEvent.click(field(label.purchase));
  await userEvent.type(field(label.name), "陈伟");
  await userEvent.type(field(label.mobile), "91234567");
  await userEvent.type(field(label.email), "wei@example.com");
  await userEvent.type(field(label.questions), "几时？🏙️");
}

async function consentAndSubmit() {
  await userEvent.type(field(label.sum), "7");
  await userEvent.click(field(label.consent));
  await userEvent.click(screen.getByRole("button", { name: "Submit" }));
}

const enteredValues = () => ({
  purchase: field(label.purchase).checked,
  name: field(label.name).value,
  mobile: field(label.mobile).value,
  email: field(label.email).value,
  questions: field(label.questions).value,
});
const consents = () => ({ sum: field(label.sum).value, consent: field(label.consent).checked });

const everything = {
  purchase: true,
  name: "陈伟",
  mobile: "91234567",
  email: "wei@example.com",
  questions: "几时？🏙️",
};
const nothing = { purchase: false, name: "", mobile: "", email: "", questions: "" };
const noConsents = { sum: "", consent: false };

describe("a restored tab", () => {
  const day = 24 * 60 * 60 * 1000;

  it.each([
    [day, everything],
    [day + 1, nothing],
    [-1, nothing],
  ])("has the draft of %d ms ago as %o", async (age, expected) => {
    load();
    await fillIn();
    now += age;
    load();
    expect(enteredValues()).toEqual(expected);
    expect(storage.getItem(KEY) === null).toBe(expected === nothing);
  });
});

describe("a reload", () => {
  it("says that the text was kept, and the visitor can start again", async () => {
    load();
    expect(screen.queryByText("We kept what you typed.")).toBeNull();
    await fillIn();
    expect(screen.queryByText("We kept what you typed.")).toBeNull();
    load();
    expect(screen.getByText("We kept what you typed.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Continue your registration" })).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Start again" }));
    expect(enteredValues()).toEqual(nothing);
    expect(screen.queryByText("We kept what you typed.")).toBeNull();
    expect(screen.queryByRole("button", { name: "Continue your registration" })).toBeNull();
    load();
    expect(enteredValues()).toEqual(nothing);
  });

  it("restores neither consents nor the sum", async () => {
    load();
    await fillIn();
    await userEvent.type(field(label.sum), "7");
    await userEvent.click(field(label.consent));
    await userEvent.click(field("Call"));
    await userEvent.click(field("Call"));
    load();
    expect(enteredValues()).toEqual(everything);
    expect(consents()).toEqual(noConsents);
    expect(storage.getItem(KEY)).not.toMatch(/antiSpam|privacyAccepted|phone/);
  });

  it("restores plan and visit times, which the visitor can remove", async () => {
    load("/?ask=B2");
    await fillIn();
    await userEvent.click(field(label.showFlat));
    await userEvent.click(field("Weekdays Morning"));
    load();
    await userEvent.click(field("Weekend Morning"));
    load();
    expect(field("Weekdays Morning").checked).toBe(true);
    expect(field("Weekend Morning").checked).toBe(true);
    expect(enteredValues().questions).toBe(everything.questions);
    await userEvent.click(field("Weekdays Morning"));
    await userEvent.click(screen.getByRole("button", { name: /^Do not ask about .* B2$/ }));
    load();
    await consentAndSubmit();
    expect(sent[0]?.payload.questions).toBe(everything.questions);
    expect(sent[0]).toMatchObject({ plan: null, visitTimes: ["weekend-mornings"] });
  });

  it("restores the homes that the visitor looks for", async () => {
    load();
    await fillIn();
    await userEvent.click(field("4-bedroom"));
    await userEvent.click(field("Investment"));
    load();
    expect(field("4-bedroom").checked).toBe(true);
    await userEvent.click(field("4-bedroom"));
    load();
    await consentAndSubmit();
    expect(sent[0]?.homes).toEqual(["investment"]);
  });

  it.each([
    ["hydration", (html: string) => html],
    ["a failed hydration", (html: string) => html.replace("Mobile", "Handy")],
  ])("keeps text typed before %s", async (_case, alter) => {
    load();
    await fillIn();
    current?.unmount();
    current = null;

    const container = document.body.appendChild(document.createElement("div"));
    container.innerHTML = alter(renderToString(page()));
    field(label.name).value = "Mei";
    field(label.showFlat).checked = true;
    field(label.sum).value = "7";
    field(label.consent).checked = true;
    const before = field(label.name);
    const recovered = vi.fn();
    render(page(), { container, hydrate: true, onRecoverableError: recovered });
    expect(recovered.mock.calls.length > 0).toBe(before !== field(label.name));
    expect(enteredValues()).toEqual({ ...everything, purchase: false, name: "Mei" });
    expect(field(label.showFlat).checked).toBe(true);
    await userEvent.click(screen.getByRole("button", { name: "Submit" }));
    expect(sent[0]?.payload).toMatchObject({ name: "Mei", interests: ["showflat"] });
  });

  it.each(["nonsense", "null", "[]", '{"name":7,"interests":["castle"],"sent":{"key":"x"}}'])(
    "ignores the stored draft %s",
    async (stored) => {
      storage.setItem(KEY, stored);
      load();
      expect(enteredValues()).toEqual(nothing);
      await fillIn();
      await consentAndSubmit();
      expect(sent).toHaveLength(1);
    },
  );

  it.each(["reload", "back_forward"])("takes no consent from a form that a %s restored", (type) => {
    vi.spyOn(performance, "getEntriesByType").mockReturnValue([{ type } as never]);
    const container = document.body.appendChild(document.createElement("div"));
    container.innerHTML = renderToString(page());
    field(label.name).value = "Mei";
    field(label.sum).value = "7";
    field(label.consent).checked = true;
    render(page(), { container, hydrate: true });
    expect(field(label.name).value).toBe("Mei");
    expect(field(label.sum).value).toBe("");
    expect(field(label.consent).checked).toBe(false);
  });

  it("restores the valid fields of a damaged draft", () => {
    const stored = { time: now, name: "陈伟", mobile: 91234567, colour: "blue" };
    storage.setItem(KEY, JSON.stringify(stored));
    load();
    expect(enteredValues()).toEqual({ ...nothing, name: "陈伟" });
  });
});

describe("the idempotency key of a lead without a response", () => {
  beforeEach(() => {
    outcome = failed;
    vi.spyOn(console, "error").mockImplementation(() => {});
  });

  const keys = () => sent.map(({ idempotencyKey }) => idempotencyKey);

  it.each([
    ["the submission failed", failed],
    ["the submission was pending", unanswered],
  ])("is the same after a reload if %s", async (_case, lost) => {
    outcome = lost;
    load();
    await fillIn();
    await consentAndSubmit();
    load();
    await consentAndSubmit();
    expect(keys()).toHaveLength(2);
    expect(keys()[1]).toBe(keys()[0]);
  });

  it("is the same after a deployment that adds a field", async () => {
    load();
    await fillIn();
    await consentAndSubmit();
    const draft = JSON.parse(storage.getItem(KEY) ?? "");
    // An older page knew no homes, and stored the other empty fields.
    const { homes: _, ...older } = JSON.parse(draft.sent.values);
    draft.sent.values = JSON.stringify({ ...older, channels: [], plan: null, times: [] });
    storage.setItem(KEY, JSON.stringify(draft));
    load();
    await consentAndSubmit();
    expect(keys()).toHaveLength(2);
    expect(keys()[1]).toBe(keys()[0]);
  });

  it("keeps its language on a page in the other language", async () => {
    load("/?ask=C1,brochure");
    await fillIn();
    await consentAndSubmit();
    load("/", "zh");
    await userEvent.type(field(/^5\+2等于几/), "7");
    await userEvent.click(field(/^我已阅读并接受/));
    await userEvent.click(screen.getByRole("button", { name: "提交" }));
    expect(sent).toHaveLength(2);
    expect(sent[0]).toMatchObject({ plan: "C1", language: "en" });
    expect(sent[1]).toEqual(sent[0]);
  });

  it("changes when the consent to calls changes", async () => {
    load();
    await fillIn();
    await consentAndSubmit();
    await userEvent.click(field("Call"));
    await userEvent.click(screen.getByRole("button", { name: "Submit" }));
    expect(keys()[1]).not.toBe(keys()[0]);
    expect(sent[1]?.channels).toEqual(["phone"]);
  });

  it("changes when a field changes after the reload", async () => {
    load();
    await fillIn();
    await consentAndSubmit();
    load();
    await userEvent.type(field(label.name), "先生");
    await consentAndSubmit();
    expect(keys()[1]).not.toBe(keys()[0]);
  });

  it("is discarded with the draft once the lead is accepted", async () => {
    load();
    await fillIn();
    await consentAndSubmit();
    outcome = accepted;
    load();
    await consentAndSubmit();
    expect(storage.getItem(KEY)).toBeNull();
    load();
    expect(enteredValues()).toEqual(nothing);
    await fillIn();
    await consentAndSubmit();
    expect(keys()[1]).toBe(keys()[0]);
    expect(keys()[2]).not.toBe(keys()[0]);
  });
});
