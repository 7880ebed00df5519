import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { I18nextProvider } from "react-i18next";
import { MemoryRouter } from "react-router-dom";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createI18n } from "#i18n/create-i18n.ts";
import { UnexpectedErrorPage } from "#pages/unexpected-error.tsx";
import { ErrorBoundary } from "#ui/error-boundary.tsx";
import { App } from "./app.tsx";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(window, "scrollTo").mockImplementation(() => {});
});

function open(path: string) {
  const i18n = createI18n("en", (key) => {
    throw new Error(`no text for ${key}`);
  });
  const registration = {
    submit: () => new Promise<never>(() => {}),
    newIdempotencyKey: () => "key",
  };
  render(
    <MemoryRouter initialEntries={[path]}>
      <App i18n={i18n} registration={registration} />
    </MemoryRouter>,
  );
}

describe("an unknown path", () => {
  it("shows 404, logs the path and leads home", async () => {
    open("/no/such/page");
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("404");
    expect(screen.getByText("Oops! Page not found")).toBeTruthy();
    expect(console.error).toHaveBeenCalledWith("404: no page at", "/no/such/page");
    expect(document.title).toContain("Page not found");
    await userEvent.click(screen.getByRole("link", { name: "Return to Home" }));
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Zyon Grand");
    expect(document.activeElement?.id).toBe("main");
    expect(document.title).toBe("Zyon Grand: residences beside the metro");
  });
});

describe("the language toggle", () => {
  it("switches in place and rewrites cookie and ?lang together, leaving other parameters", async () => {
    window.history.replaceState(null, "", "/?utm_source=news#contact-form");
    open("/");
    await userEvent.click(screen.getByRole("link", { name: "中文" }));
    expect(screen.getByRole("heading", { name: "即刻登记意向" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "English" }).getAttribute("href")).toBe("?lang=en");
    expect(document.documentElement.lang).toBe("zh-Hans");
    expect(document.cookie).toContain("lang=zh");
    expect(window.location.search + window.location.hash).toBe(
      "?utm_source=news&lang=zh#contact-form",
    );
  });
});

it("a page that throws is replaced by the generic fallback", () => {
  render(
    <I18nextProvider i18n={createI18n("en", () => {})}>
      <ErrorBoundary fallback={<UnexpectedErrorPage />}>
        <BrokenPage />
      </ErrorBoundary>
    </I18nextProvider>,
  );
  expect(screen.getByRole("heading").textContent).toBe("Unexpected Application Error!");
});

function BrokenPage(): never {
  throw new Error("broken on purpose");
}
