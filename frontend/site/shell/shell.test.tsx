import { act, fireEvent, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { MemoryRouter, Route, Routes, useLocation, useNavigate } from "react-router-dom";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Language } from "#shared/i18n/language.ts";
import { I18nProvider } from "#shared/i18n/use-translation.tsx";
import { messages } from "#site/i18n/all-languages.ts";
import { testI18n } from "#site/testing/test-i18n.ts";
import { Shell } from "./shell.tsx";

const { bar, nav } = messages.en;

let wide: (() => void) | undefined;

beforeEach(() => {
  wide = undefined;
  vi.spyOn(window, "scrollTo").mockImplementation(() => {});
  vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(() => {});
  vi.spyOn(window, "matchMedia").mockImplementation(
    () =>
      ({
        addEventListener: (_type: string, listener: () => void) => {
          wide = listener;
        },
        removeEventListener: () => {},
      }) as unknown as MediaQueryList,
  );
});

afterEach(() => {
  vi.useRealTimers();
});

function Site({ path, language = "en" }: { path: string; language?: Language }) {
  return (
    <MemoryRouter initialEntries={[path]}>
      <I18nProvider i18n={testI18n(language)}>
        <Shell>
          <Routes>
            <Route path="/" element={<section id="contact-form">the form</section>} />
            <Route path="/floor-plans" element={<h1>the plans</h1>} />
          </Routes>
          <Address />
        </Shell>
      </I18nProvider>
    </MemoryRouter>
  );
}

function Address() {
  const { pathname, search, hash } = useLocation();
  const navigate = useNavigate();
  return (
    <>
      <output>{pathname + search + hash}</output>
      <button type="button" onClick={() => navigate(-1)}>
        back
      </button>
    </>
  );
}

const details = () => document.querySelector("details") as HTMLDetailsElement;
const summary = () => document.querySelector("summary") as HTMLElement;
const address = () => document.querySelector("output")?.textContent;
const form = () => document.getElementById("contact-form");
const inMenu = () => within(document.querySelector(".menu-panel") as HTMLElement);

async function openMenu(path = "/", language: Language = "en") {
  render(<Site path={path} language={language} />);
  await userEvent.click(summary());
  expect(details().open).toBe(true);
}

describe("the menu", () => {
  it("makes the page behind it inert while it is open", async () => {
    await openMenu();
    const behind = ["main", "footer", ".skip"].map((part) => document.querySelector(part));
    expect(behind.map((part) => part?.hasAttribute("inert"))).toEqual([true, true, true]);
    await userEvent.click(summary());
    expect(behind.map((part) => part?.hasAttribute("inert"))).toEqual([false, false, false]);
  });

  it("closes on a click on a link, and moves the focus to the page", async () => {
    await openMenu();
    await userEvent.click(inMenu().getByRole("link", { name: nav.floorPlans }));
    expect(details().open).toBe(false);
    expect(screen.getByRole("heading", { name: "the plans" })).toBeTruthy();
    expect(document.activeElement?.id).toBe("main");
    expect(document.querySelector("main")?.hasAttribute("inert")).toBe(false);
  });

  it("closes on a click on the bar's logo", async () => {
    await openMenu();
    await userEvent.click(screen.getByRole("link", { name: bar.home }));
    expect(details().open).toBe(false);
  });

  it("closes on Escape before its toggle event", () => {
    render(<Site path="/" />);
    details().setAttribute("open", "");
    fireEvent.keyDown(document, { key: "Escape" });
    expect(details().open).toBe(false);
  });

  it("closes when the window becomes wide enough for the bar's links", async () => {
    await openMenu();
    act(() => wide?.());
    expect(details().open).toBe(false);
  });

  it("stays open if it was opened before hydration", async () => {
    const errors = vi.spyOn(console, "error");
    const container = document.body.appendChild(document.createElement("div"));
    container.innerHTML = renderToString(<Site path="/" />);
    details().setAttribute("open", "");
    const root = await act(async () => hydrateRoot(container, <Site path="/" />));
    expect(errors.mock.calls).toEqual([]);
    expect(details().open).toBe(true);
    expect(document.querySelector("main")?.hasAttribute("inert")).toBe(true);
    act(() => root.unmount());
    container.remove();
  });
});

it.each([
  ["en", ""],
  ["zh", "?lang=zh"],
] as const)("bar and menu link to pages and sections, in %s", (language, search) => {
  render(<Site path="/floor-plans" language={language} />);
  const navigations = document.querySelectorAll("header .navigation");
  expect(navigations).toHaveLength(2);
  for (const navigation of navigations) {
    const links = [...navigation.querySelectorAll("a")];
    expect(links.map((link) => link.getAttribute("href"))).toEqual([
      `/${search}`,
      `/floor-plans${search}`,
      `/${search}#developer`,
      `/${search}#zyon-grand`,
      `/${search}#central-region`,
      `/${search}#blog`,
      `/${search}#showflat`,
      `/${search}#contact`,
    ]);
  }
});

it.each([
  ["en", "/#contact-form"],
  ["zh", "/?lang=zh#contact-form"],
] as const)(
  "Register in the menu of another page scrolls to the form 100 ms later, in %s",
  async (language, target) => {
    await openMenu("/floor-plans", language);
    const name = messages[language].bar.register;
    const register = inMenu().getByRole("button", { name });
    vi.useFakeTimers();
    act(() => register.click());
    expect(details().open).toBe(false);
    act(() => vi.advanceTimersByTime(99));
    expect(address()).toBe("/floor-plans");
    act(() => vi.advanceTimersByTime(1));
    expect(address()).toBe(target);
    expect(vi.mocked(Element.prototype.scrollIntoView).mock.contexts).toEqual([form()]);
  },
);

it("going back to another page leaves the scroll position to the browser", async () => {
  render(<Site path="/" />);
  const { classList } = document.documentElement;
  await userEvent.click(screen.getAllByRole("link", { name: nav.floorPlans })[0] as HTMLElement);
  vi.mocked(window.scrollTo).mockClear();
  classList.add("smooth-scroll");
  await userEvent.click(screen.getByRole("button", { name: "back" }));
  expect(address()).toBe("/");
  expect(window.scrollTo).not.toHaveBeenCalled();
  expect(document.activeElement?.id).toBe("main");
  expect(classList.contains("smooth-scroll")).toBe(false);
});
