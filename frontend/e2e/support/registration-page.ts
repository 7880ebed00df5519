import { expect, type Page, type Request } from "@playwright/test";
import type { Language } from "#shared/i18n/language.ts";
import type { Messages } from "#site/i18n/messages.ts";
import { hydrated } from "./hydrated.ts";

export const LEADS_PATH = "/functions/v1/send-contact-email";

export interface Entry {
  interests: ("brochure" | "purchase" | "showflat")[];
  name: string;
  mobile: string;
  email: string;
  questions: string;
}

/** The home page and its form. */
export class RegistrationPage {
  readonly page: Page;
  /** Requests for a lead, in order. */
  readonly sent: Request[] = [];
  texts: Messages;

  constructor(page: Page, texts: Messages) {
    this.page = page;
    this.texts = texts;
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === LEADS_PATH) {
        this.sent.push(request);
      }
    });
  }

  async open(language: Language): Promise<void> {
    await this.page.goto(`/?lang=${language}`);
    await hydrated(this.page);
  }

  get submitButton() {
    return this.page.locator(".registration button[type=submit]");
  }

  get toast() {
    return this.page.locator(".toast");
  }

  /** The plan in the enquiry. */
  get plan() {
    return this.page.locator(".asked-plan b");
  }

  get note() {
    return this.page.locator(".note");
  }

  get reference() {
    return this.page.locator(".registration-note strong");
  }

  field(name: "name" | "mobile" | "email" | "questions" | "antiSpam") {
    return this.page
      .getByLabel(this.texts.registration[name], { exact: false })
      .and(this.page.locator(".field-input"));
  }

  error(field: string) {
    return this.page.locator(`#${field}-error`);
  }

  /** Opens the form again, which is folded below the thanks for a registration. */
  async unfold(): Promise<void> {
    const another = this.page.getByRole("button", {
      name: this.texts.registration.accepted.another,
    });
    if (await another.isVisible()) {
      await another.click();
    }
  }

  async fill(entry: Entry): Promise<void> {
    await this.unfold();
    for (const interest of entry.interests) {
      await this.page.getByLabel(this.texts.registration.interest[interest]).check();
    }
    await this.field("name").fill(entry.name);
    await this.field("mobile").fill(entry.mobile);
    await this.field("email").fill(entry.email);
    await this.field("questions").fill(entry.questions);
    await this.field("antiSpam").fill("7");
    await this.page.getByLabel(this.texts.registration.privacyBefore, { exact: false }).check();
  }

  async submit(): Promise<void> {
    await this.submitButton.click();
  }

  async expectValues(entry: Entry): Promise<void> {
    await expect(this.field("name")).toHaveValue(entry.name);
    await expect(this.field("mobile")).toHaveValue(entry.mobile);
    await expect(this.field("email")).toHaveValue(entry.email);
    await expect(this.field("questions")).toHaveValue(entry.questions);
    for (const interest of entry.interests) {
      await expect(this.page.getByLabel(this.texts.registration.interest[interest])).toBeChecked();
    }
  }

  async expectEmpty(): Promise<void> {
    await this.unfold();
    for (const name of ["name", "mobile", "email", "questions", "antiSpam"] as const) {
      await expect(this.field(name)).toHaveValue("");
    }
    await expect(this.page.locator("form input:checked")).toHaveCount(0);
  }

  /** Waits until the page confirms the lead, and returns its reference. */
  async expectAccepted(): Promise<string> {
    await expect(this.toast).toContainText(this.texts.toast.accepted, {
      timeout: 15_000,
    });
    await expect(this.reference).toHaveText(/^ZG-[0-9A-Z]{4}-[0-9A-Z]{2}$/);
    return (await this.reference.textContent()) ?? "";
  }

  keys(): string[] {
    return this.sent.map((request) => request.headers()["idempotency-key"] ?? "");
  }
}

/** A valid entry with a unique email address. */
export function entry(set: Partial<Entry> = {}): Entry {
  return {
    interests: ["showflat"],
    name: "陈伟",
    mobile: "+65 9123 4567",
    email: `wei@${crypto.randomUUID()}.example`,
    questions: "三房有书房吗？🏙️ Is there a study?",
    ...set,
  };
}
