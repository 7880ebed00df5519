import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { i18n } from "i18next";
import { Link, MemoryRouter, useLocation } from "react-router-dom";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Language, languages } from "#shared/i18n/language.ts";
import { I18nProvider } from "#shared/i18n/use-translation.tsx";
import { privacyPolicyVersion } from "#site/content/project.ts";
import { settings } from "#site/settings.ts";
import { memoryStorage } from "#site/testing/memory-storage.ts";
import { testI18n } from "#site/testing/test-i18n.ts";
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
  vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(() => {});
});

/** Renders a form whose submissions wait until the test answers them. */
function renderForm(language: Language = "en", address = "/") {
  texts = testI18n(language);
  const submit = (submission: Submission) =>
    new Promise<Outcome>((resolve) => {
      const answer = (outcome: Outcome) => act(async () => resolve(outcome));
      sent.push({ submission, answer });
    });
  const services = { submit, storage: memoryStorage() };
  render(
    <MemoryRouter initialEntries={[address]}>
      <I18nProvider i18n={texts}>
        <RegistrationProvider services={services}>
          <Form />
        </RegistrationProvider>
      </I18nProvider>
      <Link to="/?ask=C1">Ask about C1</Link>
      <Link to="/floor-plans">Leave</Link>
      <Link to="/">Return</Link>
    </MemoryRouter>,
  );
}

function Form() {
  const { pathname, search, hash } = useLocation();
  return (
    <>
      {pathname === "/" && <RegistrationForm />}
      <span data-testid="address">{pathname + search + hash}</span>
    </>
  );
}

const SHOW_FLAT = /Showflat Preview/;

/** Opens the form that is folded below the thanks. */
async function openAgain() {
  await userEvent.click(
    screen.getByRole("button", { name: /^(Register someone else|再登记一位)$/ }),
  );
}

async function fillIn(interest: string | RegExp = "Interested to Purchase") {
  await userEvent.click(screen.getByLabelText(interest));
  await userEvent.type(screen.getByLabelText(/^(Name|姓名)/), "陈伟");
  await userEvent.type(screen.getByLabelText(/^(Mobile|手机)/), " 91234567 ");
  await userEvent.type(screen.getByLabelText(/^(Email|电邮) \*/), "a..b@b.co");
  await userEvent.type(screen.getByLabelText(/^(Questions|留言)/), "几时？🏙️");
  await userEvent.type(screen.getByLabelText(/5\+2/), "7");
  await userEvent.click(screen.getByLabelText(/^(I have read and accept|我已阅读并接受)/));
}

const button = () =>
  screen.getByRole<HTMLButtonElement>("button", { name: /^(Submit|提交|正在提交)/ });
const field = (label: string | RegExp) => screen.getByLabelText<HTMLInputElement>(label);
const note = () => document.querySelector(".note")?.textContent;
const errorIds = () =>
  [...document.querySelectorAll(".field-error")]
    .filter((line) => line.textContent !== "")
    .map(({ id }) => id);
const changeLanguage = (language: Language) =>
  act(async () => void (await texts.changeLanguage(language)));

const accepted: Outcome = { kind: "accepted", reference: "ZG-7F3K-2Q", consent: null };
const failed: Outcome = { kind: "failed", status: 503, code: "unavailable", tries: 3 };

async function submit() {
  await userEvent.click(button());
  const pending = sent.at(-1);
  if (pending === undefined) {
    throw new Error("nothing was sent");
  }
  return pending;
}

describe("errors", () => {
  it.each(languages)("appear on submit, not before, in %s", async (language) => {
    renderForm(language);
    await userEvent.type(field(/^(Mobile|手机)/), "1");
    await userEvent.tab();
    expect(errorIds()).toEqual([]);
    expect(document.querySelector("[aria-invalid=true]")).toBeNull();
    await userEvent.click(button());
    expect(errorIds()).toEqual(
      ["interests", "name", "mobile", "email", "antiSpam", "privacyAccepted"].map(
        (name) => `${name}-error`,
      ),
    );
  });

  it("change with the language, without a change of typed text", async () => {
    renderForm();
    await userEvent.type(field(/^Mobile/), "123");
    await userEvent.click(button());
    expect(screen.getByText("Mobile number must be at least 8 digits")).toBeTruthy();
    await changeLanguage("zh");
    expect(screen.getByText("手机号码至少须有8位")).toBeTruthy();
    expect(screen.getByRole("alert").textContent).toContain("请更正表格中的错误");
    expect(field(/^手机号码/).value).toBe("123");
  });

  it("disappear when their fields are corrected", async () => {
    renderForm();
    await userEvent.click(button());
    await userEvent.type(field(/^Name/), "M");
    expect(errorIds()).not.toContain("name-error");
    expect(errorIds()).toContain("mobile-error");
  });

  it("are announced again on a second submit", async () => {
    renderForm();
    await userEvent.click(button());
    const first = screen.getByRole("alert").firstChild;
    await userEvent.click(button());
    expect(screen.getByRole("alert").firstChild).not.toBe(first);
  });

  it("do not scroll a page that the visitor returns to", async () => {
    renderForm();
    await userEvent.click(button());
    await userEvent.click(screen.getByText("Leave"));
    vi.mocked(Element.prototype.scrollIntoView).mockClear();
    await userEvent.click(screen.getByText("Return"));
    expect(field(/^Name/)).toBeTruthy();
    expect(Element.prototype.scrollIntoView).not.toHaveBeenCalled();
  });
});

it("no way to reach the visitor is preset, and its consent is in the published policy", () => {
  renderForm();
  const choices = screen.getByRole("group", { name: /^How may we reach you/ });
  expect(choices.querySelectorAll("input")).toHaveLength(3);
  expect(choices.querySelector(":checked")).toBeNull();
  const consent = document.getElementById(choices.getAttribute("aria-describedby") ?? "");
  expect(consent?.textContent).toBe(texts.t("privacy.boxes.consent"));
});

it("text fields detect the direction of their text", () => {
  renderForm();
  for (const input of document.querySelectorAll("input.field-input, textarea")) {
    expect(input.getAttribute("dir")).toBe("auto");
  }
});

describe("a valid form", () => {
  it("is sent and then cleared", async () => {
    renderForm();
    await fillIn();
    const pending = await submit();
    expect(button().disabled).toBe(true);
    expect(button().textContent).toBe("Submitting...");
    expect(pending.submission).toEqual({
      payload: {
        interests: ["purchase"],
        name: "陈伟",
        mobile: "91234567",
        email: "a..b@b.co",
        questions: "几时？🏙️",
      },
      channels: [],
      plan: null,
      visitTimes: [],
      homes: [],
      idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
      language: "en",
    });
    await pending.answer(accepted);
    expect(screen.getByRole("status").textContent).toContain("Thank you for your interest!");
    expect(screen.queryByLabelText(/^Name/)).toBeNull();
    await openAgain();
    expect(document.activeElement).toBe(document.querySelector("[name=interests]"));
    expect(button().disabled).toBe(false);
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

  it.each([
    ["en", "Submitting..."],
    ["zh", "正在提交……"],
  ] as const)("is sent with every choice and no question, in %s", async (language, sending) => {
    renderForm(language);
    await fillIn(texts.t("registration.interest.brochure"));
    await userEvent.click(field(texts.t("registration.interest.purchase")));
    await userEvent.click(field(texts.t("registration.interest.showflat")));
    await userEvent.clear(field(/^(Questions|留言)/));
    const { submission, answer } = await submit();
    expect(submission.payload).toMatchObject({
      interests: ["brochure", "purchase", "showflat"],
      questions: "",
    });
    expect(button().disabled).toBe(true);
    expect(button().textContent).toBe(sending);
    await answer(accepted);
    await openAgain();
    expect(button().disabled).toBe(false);
    expect(button().textContent).toBe(texts.t("registration.submit"));
  });

  it("links to all plan sheets once accepted if downloads are on", async () => {
    vi.spyOn(settings, "planDownloads", "get").mockReturnValue(true);
    renderForm();
    await fillIn();
    await (await submit()).answer(accepted);
    const link = screen.getByRole("link", { name: "All plans (PDF)" });
    expect(link.getAttribute("href")).toBe("/plans/all-en.pdf");
  });

  it("sends the contact channels that the visitor agreed to", async () => {
    renderForm();
    await fillIn();
    await userEvent.click(field("Call"));
    const pending = await submit();
    expect(pending.submission.channels).toEqual(["phone"]);
    await pending.answer(accepted);
    await openAgain();
    expect(field("Call").checked).toBe(false);
  });

  it.each([
    [
      ["Call", "WhatsApp / SMS"],
      ["phone", "message"],
    ],
    [["Call", "Email only"], []],
    [["Email only", "WhatsApp / SMS"], ["message"]],
    [["Call", "Call"], []],
  ])("after pressing %j agrees to %j", async (pressed, agreed) => {
    renderForm();
    await fillIn();
    for (const choice of pressed) {
      await userEvent.click(field(choice));
    }
    const { submission } = await submit();
    expect(submission.channels).toEqual(agreed);
  });

  it("leads to the page of consent once accepted if the server offers it", async () => {
    const consent = { question: "Shall we call you?", address: "/agree?token=eyJ&lang=en" };
    const link = () => screen.queryByRole("link", { name: consent.question });
    renderForm();
    await fillIn();
    await userEvent.click(field("WhatsApp / SMS"));
    await (await submit()).answer(accepted);
    expect(link()).toBeNull();
    await openAgain();
    await fillIn();
    await userEvent.click(field("Email only"));
    await (await submit()).answer({ ...accepted, consent });
    expect(link()?.getAttribute("href")).toBe(consent.address);
  });

  it("keeps changes made during the submission", async () => {
    renderForm();
    await fillIn();
    const pending = await submit();
    await userEvent.type(field(/^Mobile/), "8");
    await pending.answer(accepted);
    expect(field(/^Mobile/).value).toBe(" 91234567 8");
    const next = await submit();
    expect(next.submission.payload.mobile).toBe("91234567 8");
    expect(next.submission.idempotencyKey).not.toBe(pending.submission.idempotencyKey);
  });

  it("is cleared even if the language changes during the submission", async () => {
    renderForm("en", "/?ask=B2");
    await fillIn(SHOW_FLAT);
    await userEvent.click(field("Weekend Morning"));
    const pending = await submit();
    await changeLanguage("zh");
    await pending.answer(accepted);
    await openAgain();
    expect(field(/^姓名/).value).toBe("");
    expect(document.querySelector(".asked-plan, .visit")).toBeNull();
    await userEvent.click(button());
    expect(sent).toHaveLength(1);
  });

  it("shows the next steps until the next submit", async () => {
    renderForm();
    await fillIn();
    await (await submit()).answer(accepted);
    expect(note()).toContain("ZG-7F3K-2Q");
    expect(note()).toContain("will contact you");
    expect(document.activeElement?.className).toBe("registration-note");
    expect(Element.prototype.scrollIntoView).toHaveBeenCalled();
    expect(document.querySelector(".note a")?.getAttribute("href")).toBe("/floor-plans");
    await userEvent.click(screen.getByRole("button", { name: "Copy" }));
    expect(await navigator.clipboard.readText()).toBe("ZG-7F3K-2Q");
    expect(screen.getByRole("button", { name: "Copied" })).toBeTruthy();
    await openAgain();
    await userEvent.click(button());
    expect(errorIds()).toContain("name-error");
    expect(note()).toContain("ZG-7F3K-2Q");
    await fillIn();
    await submit();
    expect(note()).toBeUndefined();
  });

  it("unfolds the form for a plan that the visitor asks about next", async () => {
    renderForm();
    await fillIn();
    await (await submit()).answer(accepted);
    await userEvent.click(screen.getByText("Ask about C1"));
    expect(field(/^Name/).value).toBe("");
    expect(document.querySelector(".asked-plan")).toBeTruthy();
  });

  it("is sent once on a double click", async () => {
    renderForm();
    await fillIn();
    await act(async () => {
      button().click();
      button().click();
    });
    expect(sent).toHaveLength(1);
  });

  it("includes values that a script set without an event", async () => {
    renderForm();
    await userEvent.click(button());
    field("Interested to Purchase").checked = true;
    field(/^Name/).value = "陈伟";
    field(/^Mobile/).value = "91234567";
    field(/^Email \*/).value = "a@b.co";
    field(/^What is 5\+2/).value = "7";
    field(/^I have read and accept/).checked = true;
    const { submission } = await submit();
    expect(submission.payload).toMatchObject({ name: "陈伟", interests: ["purchase"] });
  });

  it("is sent and cleared while the visitor is on another page", async () => {
    renderForm();
    await fillIn();
    const pending = await submit();
    await userEvent.click(screen.getByText("Leave"));
    await pending.answer(accepted);
    expect(screen.getByRole("status").textContent).toContain("Thank you for your interest!");
    await userEvent.click(screen.getByText("Return"));
    await openAgain();
    expect(field(/^Name/).value).toBe("");
  });

  it("keeps its key to itself if the visitor left and returned before the answer", async () => {
    renderForm();
    await fillIn();
    const pending = await submit();
    await userEvent.click(screen.getByText("Leave"));
    await userEvent.click(screen.getByText("Return"));
    await pending.answer(accepted);
    await openAgain();
    await fillIn();
    const next = await submit();
    expect(next.submission.payload).toEqual(pending.submission.payload);
    expect(next.submission.idempotencyKey).not.toBe(pending.submission.idempotencyKey);
  });
});

describe("a failed submission", () => {
  beforeEach(() => {
    vi.spyOn(console, "error").mockImplementation(() => {});
  });

  it.each([
    ["en", "Failed to submit form. Please try again."],
    ["zh", "提交失败，请再试一次。"],
  ] as const)("keeps the values and shows the toast, in %s", async (language, toast) => {
    renderForm(language);
    await fillIn(texts.t("registration.interest.purchase"));
    const form = document.querySelector("form") ?? undefined;
    const before = [...new FormData(form)];
    await (await submit()).answer(failed);
    expect(screen.getByRole("alert").textContent).toContain(toast);
    expect(note()).toContain(texts.t("registration.failed.other"));
    expect([...new FormData(form)]).toEqual(before);
    expect(button().disabled).toBe(false);
  });

  it("explains that a rate limit covers the whole network", async () => {
    renderForm();
    await fillIn();
    await (await submit()).answer({ ...failed, status: 429, code: "rate_limited" });
    expect(note()).toContain("from your network");
  });

  it("is sent again only when the visitor presses the button", async () => {
    renderForm();
    await fillIn();
    vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    await (await submit()).answer({ ...failed, status: null, code: null });
    expect(note()).toContain("You are offline. What you entered is kept in this tab.");
    await act(async () => void window.dispatchEvent(new Event("online")));
    expect(sent).toHaveLength(1);
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(sent).toHaveLength(2);
    expect(note()).toContain("You are offline.");
    await sent[1]?.answer(accepted);
    expect(note()).toContain("ZG-7F3K-2Q");
  });

  it("keeps its key only while the values stay the same", async () => {
    renderForm();
    await fillIn(SHOW_FLAT);
    await userEvent.click(field("Weekend Morning"));
    await (await submit()).answer(failed);
    await changeLanguage("zh");
    await (await submit()).answer(failed);
    await changeLanguage("en");
    await userEvent.type(field(/^Name/), "先生");
    await (await submit()).answer(accepted);
    await openAgain();
    await fillIn();
    await (await submit()).answer(accepted);
    const keys = sent.map(({ submission }) => submission.idempotencyKey);
    expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 0, 2, 3]);
  });
});

describe("a plan in the enquiry", () => {
  it("has a second plan in the question, which the visitor may have typed", async () => {
    renderForm("en", "/?ask=C1,D1#contact-form");
    expect(document.querySelector(".asked-plan b")?.textContent).toContain("C1");
    expect(field(/^Questions/).value).toBe("I would like to know more about 4 Bedroom Deluxe D1.");
  });

  it("is sent by its id, beside the question", async () => {
    renderForm("en", "/?ask=B2&utm_source=news#contact-form");
    expect(screen.getByTestId("address").textContent).toBe("/?utm_source=news#contact-form");
    expect(field("Interested to Purchase").checked).toBe(true);
    await fillIn(SHOW_FLAT);
    expect((await submit()).submission).toMatchObject({
      payload: { interests: ["purchase", "showflat"], questions: "几时？🏙️" },
      plan: "B2",
    });
  });

  it.each([
    ["B2,brochure", "brochure", "B2"],
    ["showflat", "showflat", null],
  ])("or an interest is preset by ?ask=%s", async (ask, interest, plan) => {
    renderForm("en", `/?ask=${ask}`);
    const form = document.querySelector("form") ?? undefined;
    expect(new FormData(form).getAll("interests")).toEqual([interest]);
    expect(screen.queryByText("When could you visit?") !== null).toBe(interest === "showflat");
    await userEvent.type(field(/^Name/), "陈伟");
    await userEvent.type(field(/^Mobile/), "91234567");
    await userEvent.type(field(/^Email \*/), "a@b.co");
    await userEvent.type(field(/^What is 5\+2/), "7");
    await userEvent.click(field(/^I have read and accept/));
    expect((await submit()).submission.plan).toBe(plan);
  });

  it("is the last one chosen", async () => {
    renderForm("en", "/?ask=B2");
    await userEvent.click(screen.getByText("Ask about C1"));
    await fillIn(SHOW_FLAT);
    expect((await submit()).submission.plan).toBe("C1");
  });

  it("can be removed", async () => {
    renderForm("en", "/?ask=B2");
    await userEvent.click(screen.getByRole("button", { name: /^Do not ask about .* B2$/ }));
    expect(document.activeElement?.id).toBe("questions");
    await fillIn(SHOW_FLAT);
    expect((await submit()).submission.plan).toBeNull();
  });

  it("does not count towards the length of the question", async () => {
    renderForm("en", "/?ask=B2");
    await fillIn(SHOW_FLAT);
    await userEvent.clear(field(/^Questions/));
    await userEvent.click(field(/^Questions/));
    await userEvent.paste("x".repeat(1000));
    expect((await submit()).submission.payload.questions).toHaveLength(1000);
  });
});

describe("visit times", () => {
  it("are sent by their ids, in the order of the form", async () => {
    renderForm();
    expect(screen.queryByText("When could you visit?")).toBeNull();
    await fillIn(SHOW_FLAT);
    await userEvent.click(field("Weekend Morning"));
    await userEvent.click(field("Weekdays Evening"));
    expect((await submit()).submission).toMatchObject({
      payload: { questions: "几时？🏙️" },
      visitTimes: ["weekday-evenings", "weekend-mornings"],
    });
  });

  it("are kept between pages, and sent only with the show flat", async () => {
    renderForm();
    await fillIn(SHOW_FLAT);
    await userEvent.click(field("Weekend Morning"));
    await userEvent.click(screen.getByText("Leave"));
    await userEvent.click(screen.getByText("Return"));
    expect(field("Weekend Morning").checked).toBe(true);
    await userEvent.click(field(SHOW_FLAT));
    await userEvent.click(field("Interested to Purchase"));
    expect((await submit()).submission.visitTimes).toEqual([]);
  });
});

describe("the homes that the visitor looks for", () => {
  it("are sent by their ids, in the order of the form", async () => {
    renderForm();
    await fillIn();
    for (const name of ["Living in", "4-bedroom", "3-bedroom", "5 bedrooms", "5 bedrooms"]) {
      await userEvent.click(field(name));
    }
    const { payload, homes } = (await submit()).submission;
    expect(homes).toEqual(["3-bedroom", "4-bedroom", "own-use"]);
    expect(payload).not.toHaveProperty("homes");
  });

  it("are not asked for a plan", async () => {
    renderForm("en", "/?ask=B2");
    expect(screen.queryByText("Which homes?")).toBeNull();
    await fillIn(SHOW_FLAT);
    expect((await submit()).submission).toMatchObject({ plan: "B2", homes: [] });
  });
});

it("reports a truncated phone number until it is shortened", async () => {
  renderForm();
  const mobile = field(/^Mobile/);
  await userEvent.click(mobile);
  await userEvent.paste("+65 9123 4567 or 9876 5432");
  const error = document.getElementById("mobile-error");
  expect(error?.textContent).toBe("Only the first 20 characters were kept.");
  await userEvent.type(mobile, "{Backspace}{Backspace}");
  expect(error?.textContent).toBe("");
});

describe("a pasted phone number", () => {
  const paste = (text: string) =>
    fireEvent.paste(field(/^Mobile/), { clipboardData: { getData: () => text } });
  const cut = /Only the first 20 characters were kept/;

  it("is reported if it was truncated, but not if it replaced a selection", async () => {
    renderForm();
    const mobile = field(/^Mobile/);
    fireEvent.change(mobile, { target: { value: "12345678901234567890" } });
    mobile.setSelectionRange(0, 20);
    paste("+65 9123 4567 8901 2");
    expect(screen.queryByText(cut)).toBeNull();
    mobile.setSelectionRange(20, 20);
    paste("3");
    expect(screen.getByText(cut)).toBeTruthy();
  });
});
