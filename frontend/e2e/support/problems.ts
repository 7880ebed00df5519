import type { ConsoleMessage, Page } from "@playwright/test";

/** Everything a page complained of: console errors and warnings, uncaught errors, CSP reports. */
export class Problems {
  #all: string[] = [];
  #expected: RegExp[] = [];

  watch(page: Page): void {
    page.on("console", (message) => this.#hear(message));
    page.on("pageerror", (error) => this.#all.push(`uncaught: ${error.message}`));
  }

  /** Complaints that the test provokes. */
  expect(...patterns: RegExp[]): void {
    this.#expected.push(...patterns);
  }

  unexpected(): string[] {
    return this.#all.filter((problem) => !this.#expected.some((pattern) => pattern.test(problem)));
  }

  /** Also those that the test expects. */
  all(): string[] {
    return [...this.#all];
  }

  #hear(message: ConsoleMessage): void {
    if (message.type() === "error" || message.type() === "warning") {
      this.#all.push(`${message.type()}: ${message.text()}`);
    }
  }
}
