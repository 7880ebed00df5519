import { test as base, expect, type Page } from "@playwright/test";
import type { Language } from "#shared/i18n/language.ts";
import { messages } from "#site/i18n/all-languages.ts";
import type { Messages } from "#site/i18n/messages.ts";
import { Problems } from "./problems.ts";
import { RegistrationPage } from "./registration-page.ts";

export interface SiteOptions {
  language: Language;
}

interface SiteFixtures {
  /** The texts of the project's language. */
  texts: Messages;
  problems: Problems;
  /** Opens a path of the site in the project's language. */
  visit: (path: string) => Promise<void>;
  /** The home page, open in the project's language and hydrated. */
  registration: RegistrationPage;
}

/** A test of the site, which fails if a page has a problem that the test does not expect. */
export const test = base.extend<SiteOptions & SiteFixtures>({
  language: ["en", { option: true }],
  texts: async ({ language }, use) => use(messages[language]),
  problems: [
    async ({ context }, use) => {
      const problems = new Problems();
      context.on("page", (page: Page) => problems.watch(page));
      // Tests use no other hosts, so this stands in for the map's server.
      await context.route("https://www.openstreetmap.org/**", (route) =>
        route.fulfill({ contentType: "text/html", body: "<p>the map</p>" }),
      );
      await use(problems);
      expect(problems.unexpected(), "unexpected problems of the pages").toEqual([]);
    },
    { auto: true },
  ],
  visit: async ({ page, language, problems: _watching }, use) => {
    await use(async (path) => {
      const [place = "", hash] = path.split("#");
      await page.goto(`${place}?lang=${language}${hash === undefined ? "" : `#${hash}`}`);
    });
  },
  registration: async ({ page, language, texts, problems: _watching }, use) => {
    const registration = new RegistrationPage(page, texts);
    await registration.open(language);
    await use(registration);
  },
});
