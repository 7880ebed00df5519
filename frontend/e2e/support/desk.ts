import { randomUUID } from "node:crypto";
import {
  type Browser,
  type BrowserContextOptions,
  expect,
  type Locator,
  type Page,
} from "@playwright/test";
import { privacyPolicyVersion } from "#content/project.ts";
import { deskTexts } from "../../desk/texts.ts";
import { violationsOf } from "./axe.ts";
import { emailsTo } from "./mailbox.ts";
import { setting } from "./settings.ts";
import { test as siteTest } from "./site.ts";

export interface Person {
  name: string;
  address: string;
}

/** As `deploy/notifier/routes.toml` names them. Every lead is emailed to the first. */
export const MEI = {
  name: "Mei Tan",
  address: "mei@zyongrand.example",
  masked: "m…@zyongrand.example",
};
export const DANIEL: Person = { name: "Daniel Koh", address: "daniel@zyongrand.example" };

/** A phone whose clock is not the sales team's. */
const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  timezoneId: "America/New_York",
  // What fades has not the contrast of what it was or will be.
  reducedMotion: "reduce",
};

/** Cookies of a person's browser. */
type Session = NonNullable<BrowserContextOptions["storageState"]>;

interface DeskFixtures {
  /** Opens a browser of its own: a person's who is logged in, or nobody's. */
  newPhone: (person?: Person) => Promise<Page>;
  /**
   * Who acts in a test, and who else: in each language somebody else, as a person may make only so many requests in a
   * minute.
   */
  people: [Person, Person];
}

interface DeskWorkerFixtures {
  /** By name. A person may have only so many links emailed in an hour: everybody logs in once. */
  sessions: Map<string, Session>;
}

/** A test of the desk: it fails when a page of any browser complained of anything that the test did not expect. */
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
  people: async ({ language }, use) => use(language === "en" ? [MEI, DANIEL] : [DANIEL, MEI]),
});

async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  return await (await browser.newContext({ ...phone, ...options })).newPage();
}

function url(path: string): string {
  return new URL(path, setting("SITE_URL")).href;
}

/** Registers an interest as the form does. */
export async function register(
  language: string,
  email = `${randomUUID()}@example.com`,
): Promise<{ reference: string; name: string; email: string }> {
  const post = async (path: string, headers: Record<string, string>, body: unknown) => {
    const answer = await fetch(url(path), {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Record<string, string>;
  };
  const { access_token } = await post("/auth/v1/session", {}, {});
  const name = `${language === "zh" ? "陈" : "Visitor"} ${randomUUID().slice(0, 8)}`;
  const { reference = "" } = await post(
    "/functions/v1/send-contact-email",
    {
      apikey: "zg-anon-local",
      Authorization: `Bearer ${access_token}`,
      "Content-Language": language,
      "Privacy-Policy-Version": privacyPolicyVersion,
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

/** The link in the newest of so many emails to an address about a lead, once they are there. */
export async function linkIn(address: string, reference: string, mails: number): Promise<string> {
  await expect
    .poll(async () => (await emailsTo(address, reference)).length, { timeout: 30_000 })
    .toBe(mails);
  // maildev lists the oldest first.
  const html = (await emailsTo(address, reference)).at(-1)?.html ?? "";
  const [, link] = /href="([^"]*\/desk#[^"]+)"/.exec(html) ?? [];
  if (link === undefined) {
    throw new Error("the mail links to no desk");
  }
  return link;
}

/** Opens the link of an email, under the name of this machine that the tests use. */
export async function openLink(page: Page, link: string, language: string): Promise<void> {
  await page.goto(url(`/desk?lang=${language}${new URL(link).hash}`));
}

export async function continueAs(page: Page, person: Person, language: "en" | "zh"): Promise<void> {
  await page.getByRole("button", { name: deskTexts[language].continueAs(person.name) }).tap();
  await expectLoggedIn(page, language);
}

/** The lead of a link is open, with the buttons of whoever is logged in. */
export async function expectLoggedIn(page: Page, language: "en" | "zh"): Promise<void> {
  const { whatHappened } = deskTexts[language];
  await expect(page.getByText(whatHappened, { exact: true })).toBeVisible();
}

/** Has a link emailed to Mei by the first email about a lead, which logs nobody in, and logs in by it. */
export async function logIn(page: Page, reference: string, language: "en" | "zh"): Promise<void> {
  const texts = deskTexts[language];
  await openLink(page, await linkIn(MEI.address, reference, 1), language);
  await page.getByRole("button", { name: texts.mailTo(MEI.name) }).tap();
  await expect(page.getByText(texts.mailedTo(MEI.masked))).toBeVisible();
  await openLink(page, await linkIn(MEI.address, reference, 2), language);
  await expectLoggedIn(page, language);
}

/** Has Mei, who is logged in, give a lead to Daniel, and logs in as him by the link in the email that he is sent. */
export async function logInByAssignment(
  mei: Page,
  daniel: Page,
  reference: string,
  language: "en" | "zh",
): Promise<void> {
  const id = await leadId(mei, reference);
  const given = await mei.request.post(url(`/desk/api/leads/${id}`), {
    data: { owner: DANIEL.name, seen: null },
  });
  expect(given.ok()).toBe(true);
  await openLink(daniel, await linkIn(DANIEL.address, reference, 1), language);
  await continueAs(daniel, DANIEL, language);
}

/** The id of a lead, for who is logged in, once it is stored. */
async function leadId(page: Page, reference: string): Promise<string> {
  const found = async () => {
    const answer = await page.request.post(url("/desk/api/leads"), { data: { search: reference } });
    const { leads = [] } = (await answer.json()) as { leads?: { id: string }[] };
    return leads.map(({ id }) => id);
  };
  await expect.poll(async () => (await found()).length, { timeout: 30_000 }).toBe(1);
  return (await found())[0] ?? "";
}

/** Opens a lead for who is logged in. */
export async function openLead(page: Page, reference: string, language: string): Promise<void> {
  const id = await leadId(page, reference);
  await page.goto(url(`/desk?lang=${language}#/leads/${id}`));
  await expect(page.locator(".desk-actions")).toBeVisible();
}

/** A page, as it stands, has no violations on a phone or a desktop, and nothing sticks out sideways. */
export async function expectSound(page: Page): Promise<void> {
  const before = page.viewportSize() ?? { width: 390, height: 844 };
  await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
  for (const width of [320, 390, 768, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    const over = () => document.documentElement.scrollWidth - window.innerWidth;
    expect(await page.evaluate(over), `at ${width}`).toBeLessThanOrEqual(0);
    if (width === 390 || width === 1440) {
      expect(await violationsOf(page), `at ${width}`).toEqual([]);
    }
  }
  await page.setViewportSize(before);
}

/** Where sales are with the lead that a page shows. */
export function standingOf(page: Page): Locator {
  return page.locator(".desk-standing");
}

/** What happened last to the lead that a page shows. */
export function lastEntry(page: Page): Locator {
  return page.locator(".desk-history ol li").first();
}
