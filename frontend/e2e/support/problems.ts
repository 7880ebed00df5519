import type { ConsoleMessage, Page } from "@playwright/test";

/** Problems of the watched pages: console errors and warnings, uncaught errors, CSP reports. */
export class Problems {
  #all: string[] = [];
  #expected: RegExp[] = [];

  watch(page: Page): void {
    page.on("console", (message) => this.#record(message));
    page.on("pageerror", (error) => this.#all.push(`uncaught: ${error.message}`));
  }

  /** Allows problems that the test causes. */
  expect(...patterns: RegExp[]): void {
    this.#expected.push(...patterns);
  }

  unexpected(): string[] {
    return this.#all.filter((problem) => !this.#expected.some((pattern) => pattern.test(problem)));
  }

  /** All problems, including the expected ones. */
  all(): string[] {
    return [...this.#all];
  }

  #record(message: ConsoleMessage): void {
    if (message.type() === "error" || message.type() === "warning") {
      this.#all.push(`${message.type()}: ${message.text()}`);
    }
  }
}
