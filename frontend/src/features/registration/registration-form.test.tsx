import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { i18n } from "i18next";
import { I18nextProvider } from "react-i18next";
import { MemoryRouter, useLocation } from "react-router-dom";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { privacyPolicyVersion } from "#content/project.ts";
import type { Language } from "#i18n/language.ts";
import { memoryStorage } from "#testing/memory-storage.ts";
import { testI18n } from "#testing/test-i18n.ts";
import { draftStore } from "./draft.ts";
import { RegistrationForm } from "./registration-form.tsx";
import { RegistrationProvider } from "./registration-provider.tsx";
import type { Outcome, Submission } from "./submit-registration.ts";

interface PendingRequest {
  submission: Submission;
  answer: (outcome: Outcome) => Promise<void>;
}

let sent: PendingRequest[] = [];
let texts: i18n;

beforeEach(() => {
  sent = [];
  // The page's own scrolling is the browser's business.
  vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(() => {});
});

/** A form whose submissions wait until the test answers them. */
function open(language: Language = "en", address = "/") {
  let keys = 0;
  texts = testI18n(language);
  const submit = (submission: Submission) =>
    new Promise<Outcome>((resolve) => {
      const answer = (outcome: Outcome) => act(async () => resolve(outcome));
      sent.push({ submission, answer });
    });
  const newIdempotencyKey = () => `key-${++keys}`;
  const services = {
    submit,
    newIdempotencyKey,
    drafts: draftStore(memoryStorage(), () => 0),
  };
  render(
    <MemoryRouter initialEntries={[address]}>
      <I18nextProvider i18n={texts}>
        <RegistrationProvider services={services}>
          <RegistrationForm services={services} />
        </RegistrationProvider>
      </I18nextProvider>
      <Address />
    </MemoryRouter>,
  );
}

function Address() {
  const { pathname, search, hash } = useLocation();
  return <span data-testid="address">{pathname + search + hash}</span>;
}

async function fillIn() {
  await userEvent.click(screen.getByLabelText("Interested to Purchase"));
  await userEvent.click(
    screen.getByLabelText("Send me E-Brochure, Floor Plan & Pricing when Released!"),
  );
  await userEvent.type(screen.getByLabelText(/^Name/), "陈伟");
  await userEvent.type(screen.getByLabelText(/^Mobile/), " 91234567 ");
  await userEvent.type(screen.getByLabelText(/^Email/), "a..b@b.co");
  await userEvent.type(screen.getByLabelText(/^Questions/), "几时？🏙️");
  await userEvent.type(screen.getByLabelText(/^What is 5\+2/), "7");
  await userEvent.click(screen.getByLabelText(/^I have read and accept/));
}

const button = () => screen.getByRole<HTMLButtonElement>("button", { name: /Submit|提交/ });
const value = (label: RegExp) => screen.getByLabelText<HTMLInputElement>(label).value;
const errorIds = () =>
  [...document.querySelectorAll(".field-error")]
    .filter((line) => line.textContent !== "")
    .map(({ id }) => id);

const accepted: Outcome = { kind: "accepted", reference: "ZG-7F3K-2Q" };
const failed: Outcome = { kind: "failed", status: 503, code: "unavailable", tries: 3 };

async function submit() {
  await userEvent.click(button());
  const pending = sent.at(-1);
  if (pending === undefined) {
    throw new Error("nothing was sent");
  }
  return pending;
}

describe("an empty form", () => {
  it("shows every message under its field, tells the toast, and takes the focus to the first", async () => {
    open();
    await userEvent.click(button());
    expect(errorIds()).toEqual([
      "interests-error",
      "name-error",
      "mobile-error",
      "email-error",
      "antiSpam-error",
      "privacyAccepted-error",
    ]);
    expect(screen.getByRole("alert").textContent).toContain(
      "Please correct the errors in the form",
    );
    const name = screen.getByLabelText(/^Name/);
    expect(name.getAttribute("aria-invalid")).toBe("true");
    expect(name.getAttribute("aria-describedby")).toBe("name-error");
    expect(document.activeElement?.id).toBe("interest-brochure");
    expect(Element.prototype.scrollIntoView).toHaveBeenCalledOnce();
    expect(sent).toHaveLength(0);
  });

  it("speaks the other language after a change, errors and all, and keeps what was typed", async () => {
    open();
    await userEvent.type(screen.getByLabelText(/^Mobile/), "123");
    await userEvent.click(button());
    expect(screen.getByText("Mobile number must be at least 8 digits")).toBeTruthy();
    await act(async () => void (await texts.changeLanguage("zh")));
    expect(screen.getByText("手机号码至少须有8位")).toBeTruthy();
    expect(screen.getByRole("alert").textContent).toContain("请更正表格中的错误");
    expect(value(/^手机号码/)).toBe("123");
  });

  it("drops an error when its field is put right", async () => {
    open();
    await userEvent.click(button());
    await userEvent.type(screen.getByLabelText(/^Name/), "M");
    expect(errorIds()).not.toContain("name-error");
    expect(errorIds()).toContain("mobile-error");
  });
});

describe("a good form", () => {
  it("says what the asterisk means to whoever listens, and takes names of any script", () => {
    open();
    const hint = document.querySelector(".registration-hint");
    expect(hint?.textContent).toBe("Fields marked * are required.");
    expect(hint?.querySelector("[aria-hidden]")).toBeNull();
    for (const input of document.querySelectorAll("input.field-input, textarea")) {
      expect(input.getAttribute("dir")).toBe("auto");
    }
  });

  it("sends what was entered, says so while it does, and is empty afterwards", async () => {
    open();
    await fillIn();
    const pending = await submit();
    expect(button().disabled).toBe(true);
    expect(button().textContent).toBe("Submitting...");
    expect(pending.submission).toEqual({
      payload: {
        interests: ["brochure", "purchase"],
        name: "陈伟",
        mobile: "91234567",
        email: "a..b@b.co",
        questions: "几时？🏙️",
      },
      idempotencyKey: "key-1",
      language: "en",
    });
    await pending.answer(accepted);
    expect(screen.getByRole("status").textContent).toContain(
      "Thank you for your interest! We will contact you soon.",
    );
    expect(screen.getByText("ZG-7F3K-2Q")).toBeTruthy();
    expect(button().disabled).toBe(false);
    expect(button().textContent).toBe("Submit");
    const form = document.querySelector("form") ?? undefined;
    expect([...new FormData(form)]).toEqual([
      ["name", ""],
      ["mobile", ""],
      ["email", ""],
      ["questions", ""],
      ["antiSpam", ""],
      ["privacyPolicyVersion", privacyPolicyVersion],
      ["website", ""],
    ]);
  });

  it("keeps what is changed while it is sent, for another lead", async () => {
    open();
    await fillIn();
    const pending = await submit();
    await userEvent.type(screen.getByLabelText(/^Mobile/), "8");
    await pending.answer(accepted);
    expect(screen.getByRole("status").textContent).toContain("Thank you for your interest!");
    expect(value(/^Mobile/)).toBe(" 91234567 8");
    const next = await submit();
    expect(next.submission.payload.mobile).toBe("91234567 8");
    expect(next.submission.idempotencyKey).toBe("key-2");
  });

  it("is empty after a change of language while it was sent: the next press is no second lead", async () => {
    open();
    await fillIn();
    const pending = await submit();
    expect(pending.submission.language).toBe("en");
    await act(async () => void (await texts.changeLanguage("zh")));
    await pending.answer(accepted);
    expect(value(/^姓名/)).toBe("");
    await userEvent.click(screen.getByRole("button", { name: "提交" }));
    expect(sent).toHaveLength(1);
  });

  it("is followed by what happens next, which stays until something else is sent", async () => {
    open();
    await fillIn();
    await (await submit()).answer(accepted);
    const panel = document.querySelector(".note");
    expect(panel?.textContent).toContain("ZG-7F3K-2Q");
    expect(panel?.textContent).toContain("will contact you by email or phone");
    expect(panel?.querySelector("a")?.getAttribute("href")).toBe("/floor-plans");
    await userEvent.type(screen.getByLabelText(/^Name/), "M");
    expect(screen.queryByText("ZG-7F3K-2Q")).toBeTruthy();
    await userEvent.click(button());
    expect(screen.queryByText("ZG-7F3K-2Q")).toBeNull();
  });

  it("is truly empty after success: the next submit fails every required field", async () => {
    open();
    await fillIn();
    await (await submit()).answer(accepted);
    await userEvent.click(button());
    expect(errorIds()).toHaveLength(6);
    expect(sent).toHaveLength(1);
  });

  it("is sent once when a second click comes before the button is disabled", async () => {
    open();
    await fillIn();
    await act(async () => {
      button().click();
      button().click();
    });
    expect(sent).toHaveLength(1);
  });
});

describe("a failed submission", () => {
  beforeEach(() => {
    vi.spyOn(console, "error").mockImplementation(() => {});
  });

  it("says so, keeps the values, is quiet about ways that are not known and logs nothing personal", async () => {
    open();
    await fillIn();
    await (await submit()).answer(failed);
    expect(screen.getByRole("alert").textContent).toContain(
      "Failed to submit form. Please try again.",
    );
    expect(document.querySelector(".note")?.textContent).toBe(
      "What you entered is still here. Please try again in a minute.",
    );
    expect(value(/^Name/)).toBe("陈伟");
    expect(value(/^Email/)).toBe("a..b@b.co");
    expect(button().disabled).toBe(false);
    expect(console.error).toHaveBeenCalledOnce();
    expect(JSON.stringify(vi.mocked(console.error).mock.calls)).not.toMatch(
      /陈伟|91234567|b\.co|几时/,
    );
  });

  it("has words of its own for many people behind one network", async () => {
    open();
    await fillIn();
    await (await submit()).answer({ ...failed, status: 429, code: "rate_limited" });
    expect(document.querySelector(".note")?.textContent).toContain("from your network");
  });

  it("is sent when the network is back, if the visitor agrees, and once", async () => {
    open();
    await fillIn();
    const online = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    await (await submit()).answer({ ...failed, status: null, code: null });
    expect(document.querySelector(".note")?.textContent).toContain("You are offline.");
    window.dispatchEvent(new Event("online"));
    expect(sent).toHaveLength(1);
    await userEvent.click(screen.getByRole("button", { name: "Send it when I am online again" }));
    expect(document.querySelector(".note")?.textContent).toContain("Please keep this tab open.");
    online.mockReturnValue(true);
    await act(async () => void window.dispatchEvent(new Event("online")));
    await act(async () => void window.dispatchEvent(new Event("online")));
    expect(sent.map(({ submission }) => submission.idempotencyKey)).toEqual(["key-1", "key-1"]);
    await sent[1]?.answer(accepted);
    expect(screen.getByText("ZG-7F3K-2Q")).toBeTruthy();
  });

  it("keeps its key for the same lead, takes a new one for a changed or a new one", async () => {
    open();
    await fillIn();
    await (await submit()).answer(failed);
    await (await submit()).answer(failed);
    await userEvent.type(screen.getByLabelText(/^Name/), "先生");
    await (await submit()).answer(accepted);
    await fillIn();
    await userEvent.type(screen.getByLabelText(/^Name/), "先生");
    await (await submit()).answer(accepted);
    expect(sent.map(({ submission }) => submission.idempotencyKey)).toEqual([
      "key-1",
      "key-1",
      "key-2",
      "key-3",
    ]);
  });

  it("shows what the server refuses as the form's own errors", async () => {
    open();
    await fillIn();
    await (await submit()).answer({
      kind: "invalid",
      errors: { interests: ["unknown_interest"], email: ["email_invalid"] },
    });
    expect(errorIds()).toEqual(["interests-error", "email-error"]);
    expect(screen.getByText("Invalid email address")).toBeTruthy();
    expect(screen.getByRole("alert").textContent).toContain(
      "Please correct the errors in the form",
    );
    expect(value(/^Name/)).toBe("陈伟");
  });
});

describe("a sentence of the site's own", () => {
  it.each([
    ["en", "I would like to know more about 2 Bedroom Deluxe B2."],
    ["zh", "我想进一步了解两卧室豪华型 B2。"],
  ] as const)("asks about the plan that the address names, in %s", (language, sentence) => {
    open(language, "/?ask=B2&utm_source=news#contact-form");
    expect(value(/^(Questions|留言)/)).toBe(sentence);
    expect(document.querySelector<HTMLInputElement>("#interest-purchase")?.checked).toBe(true);
    expect(screen.getByTestId("address").textContent).toBe("/?utm_source=news#contact-form");
  });

  it("says when the visitor could come, as long as the show flat is asked for", async () => {
    open();
    await userEvent.type(screen.getByLabelText(/^Questions/), "Parking?");
    expect(screen.queryByText("When could you visit?")).toBeNull();
    const showFlat = screen.getByLabelText(/Showflat Preview/);
    await userEvent.click(showFlat);
    await userEvent.click(screen.getByLabelText("weekend mornings"));
    await userEvent.click(screen.getByLabelText("weekday evenings"));
    expect(value(/^Questions/)).toBe(
      "Parking?\nI could visit on weekday evenings, weekend mornings.",
    );
    await act(async () => void (await texts.changeLanguage("zh")));
    expect(value(/^留言/)).toBe("Parking?\n方便参观的时间：平日傍晚、周末上午。");
    await userEvent.click(showFlat);
    expect(value(/^留言/)).toBe("Parking?");
  });
});

it("a preferred time outlives a look at another page", async () => {
  texts = testI18n("en");
  const services = {
    submit: () => new Promise<never>(() => {}),
    newIdempotencyKey: () => "key",
    drafts: draftStore(memoryStorage(), () => 0),
  };
  const site = (atForm: boolean) => (
    <MemoryRouter>
      <I18nextProvider i18n={texts}>
        <RegistrationProvider services={services}>
          {atForm && <RegistrationForm services={services} />}
        </RegistrationProvider>
      </I18nextProvider>
    </MemoryRouter>
  );
  const { rerender } = render(site(true));
  await userEvent.click(screen.getByLabelText(/Showflat Preview/));
  await userEvent.click(screen.getByLabelText("weekend mornings"));
  rerender(site(false));
  rerender(site(true));
  expect(value(/^Questions/)).toBe("I could visit on weekend mornings.");
});

it("says that a pasted number was cut, until it is put right", async () => {
  open();
  const mobile = screen.getByLabelText(/^Mobile/);
  await userEvent.click(mobile);
  await userEvent.paste("+65 9123 4567 or 9876 5432");
  expect(document.getElementById("mobile-error")?.textContent).toBe(
    "Only the first 20 characters were kept.",
  );
  await userEvent.type(mobile, "{Backspace}{Backspace}");
  expect(document.getElementById("mobile-error")?.textContent).toBe("");
});
