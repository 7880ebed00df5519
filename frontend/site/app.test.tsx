import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { BrowserRouter } from "react-router-dom";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Language } from "#shared/i18n/language.ts";
import type { RegistrationServices } from "#site/features/registration/registration-provider.tsx";
import type { Outcome } from "#site/features/registration/submit-registration.ts";
import { messages } from "#site/i18n/all-languages.ts";
import { createI18n } from "#site/i18n/create-i18n.ts";
import { loadMessages } from "#site/i18n/messages.ts";
import { FloorPlansPage } from "#site/pages/floor-plans/floor-plans-page.tsx";
import { HomePage } from "#site/pages/home/home-page.tsx";
import { memoryStorage } from "#site/testing/memory-storage.ts";
import { App, type Pages } from "./app.tsx";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(window, "scrollTo").mockImplementation(() => {});
});

interface Rendered {
  submit?: RegistrationServices["submit"];
  language?: Language;
  texts?: Parameters<typeof createI18n>[1];
  pages?: Pages;
}

function renderApp(
  path: string,
  {
    submit = () => new Promise<never>(() => {}),
    language = "en",
    texts = messages[language],
    pages = { home: HomePage, floorPlans: FloorPlansPage },
  }: Rendered = {},
) {
  const i18n = createI18n(language, texts, (key) => {
    throw new Error(`no text for ${key}`);
  });
  const registration = {
    submit,
    storage: memoryStorage(),
  };
  window.history.replaceState(null, "", path);
  return render(
    <BrowserRouter>
      <App i18n={i18n} pages={pages} registration={registration} />
    </BrowserRouter>,
  );
}

describe("an unknown path", () => {
  it("shows 404, logs the path and links to the home page", async () => {
    renderApp("/no/such/page");
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

it.each([
  ["/", ["home"]],
  ["/floor-plans", ["floorPlans"]],
  ["/nowhere", []],
] as const)("%s needs only the texts of its page", async (path, parts) => {
  renderApp(path, { texts: await loadMessages("en", ...parts) });
  const heading = screen.getByRole("heading", { level: 1 }).textContent;
  expect(heading).toBe(
    { "/": "Zyon Grand", "/floor-plans": "Floor plans", "/nowhere": "404" }[path],
  );
});

function toggle(name: string): HTMLElement {
  return within(screen.getByRole("banner")).getByRole("button", { name });
}

describe("the language toggle", () => {
  it("changes texts, <html lang>, cookie and ?lang together", async () => {
    renderApp("/?utm_source=news#contact-form");
    await userEvent.click(toggle("中文"));
    expect(await screen.findByRole("heading", { name: "立即登记意向" })).toBeTruthy();
    expect(toggle("English").getAttribute("href")).toBe("?utm_source=news&lang=en");
    expect(document.documentElement.lang).toBe("zh-Hans");
    expect(document.cookie).toContain("lang=zh");
    expect(window.location.search + window.location.hash).toBe(
      "?utm_source=news&lang=zh#contact-form",
    );
    await userEvent.click(toggle("English"));
    await screen.findByRole("heading", { name: messages.en.contact.heading });
    expect(window.location.search).toBe("?utm_source=news&lang=en");
  });

  it("follows its link if a translator has changed the page", async () => {
    const assign = vi.spyOn(window.location, "assign").mockImplementation(() => {});
    const { container } = renderApp("/?utm_source=news#contact-form");
    container.id = "root";
    container.append(document.createElement("font"));
    await userEvent.click(toggle("中文"));
    expect(assign.mock.calls).toEqual([["?utm_source=news&lang=zh#contact-form"]]);
  });
});

describe("a registration", () => {
  it("continues on another page, which shows the result", async () => {
    let resolveSubmit = (_outcome: Outcome) => {};
    const submit = () => new Promise<Outcome>((resolve) => (resolveSubmit = resolve));
    renderApp("/", { submit });
    for (const [label, text] of [
      [/^Name/, "Mei"],
      [/^Mobile/, "91234567"],
      [/^Email \*/, "mei@example.com"],
      [/^What is 5\+2/, "7"],
    ] as const) {
      await userEvent.type(screen.getByLabelText(label), text);
    }
    await userEvent.click(screen.getByLabelText("Interested to Purchase"));
    await userEvent.click(screen.getByLabelText(/^I have read and accept/));
    await userEvent.click(screen.getByRole("button", { name: "Submit" }));
    await userEvent.click(screen.getByRole("link", { name: "See the floor plans" }));
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Floor plans");
    await act(async () =>
      resolveSubmit({ kind: "accepted", reference: "ZG-7F3K-2Q", consent: null }),
    );
    expect(screen.getByRole("status").textContent).toContain("Thank you for your interest!");
    await userEvent.click(
      screen.getAllByRole("button", { name: "Register Your Interest" })[0] as HTMLElement,
    );
    expect(screen.getByText("ZG-7F3K-2Q")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Register someone else" }));
    expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe("");
    expect(document.querySelector("#contact-form input:checked")).toBeNull();
  });
});

it("an address in another case shows 404, as on the server", () => {
  renderApp("/Floor-Plans");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("404");
});

it("an address with a trailing slash marks its page as current", () => {
  renderApp("/floor-plans/");
  const marked = [...document.querySelectorAll(".navigation [aria-current]")].map(
    (link) => link.textContent,
  );
  expect(new Set(marked)).toEqual(new Set(["Floor Plans"]));
});

it("an address with the other language does not switch the language", () => {
  renderApp("/?lang=zh");
  expect(window.location.search).toBe("?lang=en");
});

it.each([
  ["en", "Unexpected Application Error!"],
  ["zh", "很抱歉，应用程序意外出错！"],
] as const)(
  "a page that throws shows the generic error until it is left, in %s",
  async (language, text) => {
    renderApp(`/floor-plans?lang=${language}`, {
      language,
      pages: { home: HomePage, floorPlans: BrokenPage },
    });
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(text);
    const { nav, unexpected } = messages[language];
    const reload = vi.spyOn(window.location, "reload").mockImplementation(() => {});
    await userEvent.click(screen.getByRole("button", { name: unexpected.reload }));
    expect(reload).toHaveBeenCalledOnce();
    const home = within(screen.getByRole("banner")).getAllByRole("link", { name: nav.home });
    await userEvent.click(home[0] as HTMLElement);
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Zyon Grand");
  },
);

function BrokenPage(): never {
  throw new Error("broken on purpose");
}
