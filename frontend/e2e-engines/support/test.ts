import { test as base, expect } from "@playwright/test";
import type { Language } from "#shared/i18n/language.ts";
import { messages } from "#site/i18n/all-languages.ts";
import type { Messages } from "#site/i18n/messages.ts";
import { type Driver, type Engine, startDriver } from "./engines.ts";
import { Phone } from "./phone.ts";

export interface EngineOptions {
  language: Language;
}

export interface EngineWorkerOptions {
  engine: Engine;
}

interface EngineFixtures {
  /** The texts of the project's language. */
  texts: Messages;
  /** A browser that has never opened the site. */
  phone: Phone;
  /** Allows problems that the test causes. */
  problems: { expect: (...patterns: RegExp[]) => void };
  /** Opens a path of the site in the project's language. */
  visit: (path: string) => Promise<void>;
}

interface EngineWorkerFixtures {
  driver: Driver;
}

/** A test of the site in another engine, which fails if a page reports an error. */
export const test = base.extend<
  EngineOptions & EngineFixtures,
  EngineWorkerOptions & EngineWorkerFixtures
>({
  engine: ["webkit", { option: true, scope: "worker" }],
  language: ["en", { option: true }],
  texts: async ({ language }, use) => use(messages[language]),
  driver: [
    async ({ engine }, use) => {
      const driver = await startDriver(engine);
      await use(driver);
      driver.stop();
    },
    { scope: "worker" },
  ],
  phone: async ({ driver, engine }, use, info) => {
    const phone = await Phone.start(driver);
    await use(phone);
    if (info.status !== info.expectedStatus) {
      const body = await phone.driver.screenshot();
      await info.attach(`${engine}.png`, { body, contentType: "image/png" });
    }
    await phone.driver.end();
  },
  problems: [
    async ({ phone }, use) => {
      const expected: RegExp[] = [];
      await use({ expect: (...patterns) => void expected.push(...patterns) });
      const unexpected = (await phone.problems()).filter(
        (problem) => !expected.some((pattern) => pattern.test(problem)),
      );
      expect(unexpected, "unexpected problems of the pages").toEqual([]);
    },
    { auto: true },
  ],
  visit: async ({ phone, language }, use) => {
    await use(async (path) => phone.open(`${path}?lang=${language}`));
  },
});
