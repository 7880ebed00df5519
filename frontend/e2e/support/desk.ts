import { randomUUID } from "node:crypto";
import {
  type Browser,
  type BrowserContextOptions,
  expect,
  type Locator,
  type Page,
} from "@playwright/test";
import { privacyPolicyVersion } from "#site/content/project.ts";
import { deskTexts } from "../../desk/texts.ts";
import { violationsOf } from "./axe.ts";
import { emailsTo } from "./mailbox.ts";
import { setting } from "./settings.ts";
import { test as siteTest } from "./site.ts";

export interface Person {
  name: string;
  address: string;
}

/** People in `deploy/notifier/routes.toml`. Every lead is emailed to the first. */
export const MEI = {
  name: "Mei Tan",
  address: "mei@zyongrand.example",
  masked: "m…@zyongrand.example",
};
export const DANIEL: Person = { name: "Daniel Koh", address: "daniel@zyongrand.example" };

/** A phone in another time zone than the sales team's. */
const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  timezoneId: "America/New_York",
  // Fading elements have too little contrast for axe.
  reducedMotion: "reduce",
};

/** The cookies of a logged-in browser. */
type Session = NonNullable<BrowserContextOptions["storageState"]>;

interface DeskFixtures {
  /** Opens a separate browser, logged in as a person or not logged in. */
  newPhone: (person?: Person) => Promise<Page>;
}

interface DeskWorkerFixtures {
  /** Sessions by name. Each person logs in once, because login emails per hour are limited. */
  sessions: Map<string, Session>;
}

/** A test of the desk, which fails if a page of any browser has a problem that the test does not expect. */
export const test = siteTest.extend<DeskFixtures, DeskWorkerFixtures>({
  sessions: [
    async ({ browser }, use) => {
      const { reference } = await register("en");
      const mei = await newPage(browser);
      await logIn(mei, reference, "en");
      const daniel = await newPage(browser);
      await logInByAssignment(mei, daniel, reference, "en");
      await use(
        new Map([
          [MEI.name, await mei.context().storageState()],
          [DANIEL.name, await daniel.context().storageState()],
        ]),
      );
      await mei.context().close();
      await daniel.context().close();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  newPhone: async ({ browser, problems, sessions }, use) => {
    const pages: Page[] = [];
    await use(async (person) => {
      const session = person && sessions.get(person.name);
      const page = await newPage(browser, session ? { storageState: session } : {});
      problems.watch(page);
      pages.push(page);
      return page;
    });
    await Promise.all(pages.map((page) => page.context().close()));
  },
});

async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  return await (await browser.newContext({ ...phone, ...options })).newPage();
}

function url(path: string): string {
  return new URL(path, setting("SITE_URL")).href;
}

/**
 * Submits a lead like the form.
 * @param campaign of a visit that began a minute ago. Without one the lead is sent as soon as its visit begins
 */
export async function register(
  language: string,
  email = `${randomUUID()}@example.com`,
  campaign?: string,
): Promise<{ reference: string; name: string; email: string }> {
  const post = async (path: string, headers: Record<string, string>, body: unknown) => {
    const answer = await fetch(url(path), {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Record<string, string>;
  };
  const { access_token } = await (campaign === undefined
    ? post("/auth/v1/session", {}, {})
    : post("/auth/v1/session", { "Page-Age": "60" }, { utm: { campaign } }));
  const name = `${language === "zh" ? "陈" : "Visitor"} ${randomUUID().slice(0, 8)}`;
  const { reference = "" } = await post(
    "/functions/v1/send-contact-email",
    {
      apikey: "zg-anon-local",
      Authorization: `Bearer ${access_token}`,
      "Content-Language": language,
      "Privacy-Policy-Version": privacyPolicyVersion,
      "Contact-Channels": "phone",
    },
    {
      interests: ["showflat"],
      name,
      mobile: "9123 4567",
      email,
      questions: "Which units face south?",
    },
  );
  return { reference, name, email };
}

/** Waits for `emails` emails to an address about a lead, and returns the link in the newest. */
export async function linkIn(address: string, reference: string, emails: number): Promise<string> {
  await expect
    .poll(async () => (await emailsTo(address, reference)).length, { timeout: 30_000 })
    .toBe(emails);
  // maildev lists the oldest email first.
  const html = (await emailsTo(address, reference)).at(-1)?.html ?? "";
  const [, link] = /href="([^"]*\/desk#[^"]+)"/.exec(html) ?? [];
  if (link === undefined) {
    throw new Error("the email has no link to the desk");
  }
  return link;
}

/** Opens the link of an email on the origin of the tested site. */
export async function openLink(page: Page, link: string, language: string): Promise<void> {
  await page.goto(url(`/desk?lang=${language}${new URL(link).hash}`));
}

export async function continueAs(page: Page, person: Person, language: "en" | "zh"): Promise<void> {
  await page.getByRole("button", { name: deskTexts[language].continueAs(person.name) }).tap();
  await expectLoggedIn(page, language);
}

/** Waits until the lead is open for a logged-in person. */
export async function expectLoggedIn(page: Page, language: "en" | "zh"): Promise<void> {
  const { whatHappened } = deskTexts[language];
  await expect(page.getByText(whatHappened, { exact: true })).toBeVisible();
}

/** Opens the first email about a lead, requests a login link for Mei, and logs in with it. */
export async function logIn(page: Page, reference: string, language: "en" | "zh"): Promise<void> {
  const texts = deskTexts[language];
  await openLink(page, await linkIn(MEI.address, reference, 1), language);
  await page.getByRole("button", { name: texts.mailTo(MEI.name) }).tap();
  await expect(page.getByText(texts.mailedTo(MEI.masked))).toBeVisible();
  await openLink(page, await linkIn(MEI.address, reference, 2), language);
  await expectLoggedIn(page, language);
}

/** Assigns a lead from Mei's browser to Daniel, and logs in as Daniel with the link in his email. */
export async function logInByAssignment(
  mei: Page,
  daniel: Page,
  reference: string,
  language: "en" | "zh",
): Promise<void> {
  const id = await leadId(mei, reference);
  const assigned = await mei.request.post(url(`/desk/api/leads/${id}`), {
    data: { owner: DANIEL.name, seen: null },
  });
  expect(assigned.ok()).toBe(true);
  await openLink(daniel, await linkIn(DANIEL.address, reference, 1), language);
  await continueAs(daniel, DANIEL, language);
}

/** Waits until a lead is stored, and returns its id. The page must be logged in. */
async function leadId(page: Page, reference: string): Promise<string> {
  const found = async () => {
    const answer = await page.request.post(url("/desk/api/leads"), { data: { search: reference } });
    const { leads = [] } = (await answer.json()) as { leads?: { id: string }[] };
    return leads.map(({ id }) => id);
  };
  await expect.poll(async () => (await found()).length, { timeout: 30_000 }).toBe(1);
  return (await found())[0] ?? "";
}

/** Opens a lead. The page must be logged in. */
export async function openLead(page: Page, reference: string, language: string): Promise<void> {
  const id = await leadId(page, reference);
  await page.goto(url(`/desk?lang=${language}#/leads/${id}`));
  await expect(page.locator(".desk-actions")).toBeVisible();
}

/** Checks that a page has no violations on a phone and a desktop, and does not scroll sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  const before = page.viewportSize() ?? { width: 390, height: 844 };
  // Chinese texts differ in length, which no rule of axe depends on.
  const isChinese = (await page.locator("html").getAttribute("lang")) !== "en";
  await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
  for (const width of [320, 390, 768, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    const over = () => document.documentElement.scrollWidth - window.innerWidth;
    expect(await page.evaluate(over), `at ${width}`).toBeLessThanOrEqual(0);
    if (!isChinese && (width === 390 || width === 1440)) {
      expect(await violationsOf(page), `at ${width}`).toEqual([]);
    }
  }
  await page.setViewportSize(before);
}

/** The state of the lead on a page. */
export function standingOf(page: Page): Locator {
  return page.locator(".desk-standing");
}

/** The latest timeline entry of the lead on a page. */
export function lastEntry(page: Page): Locator {
  return page.locator(".desk-history ol li").first();
}
