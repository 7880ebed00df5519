import { fireEvent, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, useLocation } from "react-router-dom";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { FloorPlanId } from "#shared/content/floor-plans.ts";
import { type Language, languages } from "#shared/i18n/language.ts";
import { I18nProvider } from "#shared/i18n/use-translation.tsx";
import { messages } from "#site/i18n/all-languages.ts";
import { settings } from "#site/settings.ts";
import { testI18n } from "#site/testing/test-i18n.ts";
import { FloorPlanGrid } from "./floor-plan-grid.tsx";

function renderGrid({
  language = "en",
  address = "/floor-plans",
}: {
  language?: Language;
  address?: string;
} = {}) {
  render(
    <I18nProvider i18n={testI18n(language)}>
      <MemoryRouter initialEntries={[address]}>
        <FloorPlanGrid />
        <Address />
      </MemoryRouter>
    </I18nProvider>,
  );
}

function Address() {
  const { pathname, search, hash } = useLocation();
  return <span data-testid="address">{pathname + search + hash}</span>;
}

const address = () => screen.getByTestId("address").textContent;
const textOf = (element: Element | null) => element?.textContent?.replaceAll("\u00a0", " ");

describe("the twelve cards", () => {
  // Copied by hand from the table of the specification, with the other texts of a card.
  it.each<[Language, string[][]]>([
    [
      "en",
      [
        ["1 Bedroom", "1 Bedroom Compact A1", "527 sq ft", "1 bedroom, 1 bathroom"],
        ["1 Bedroom", "1 Bedroom Deluxe A2", "581 sq ft", "1 bedroom, 1 bathroom"],
        ["1 Bedroom", "1 Bedroom Premium A3", "614 sq ft", "1 bedroom, 1 bathroom"],
        ["2 Bedroom", "2 Bedroom Compact B1", "721 sq ft", "2 bedrooms, 2 bathrooms"],
        ["2 Bedroom", "2 Bedroom Deluxe B2", "829 sq ft", "2 bedrooms, 2 bathrooms"],
        ["3 Bedroom", "3 Bedroom Deluxe C1", "1,119 sq ft", "3 bedrooms, 2 bathrooms"],
        ["3 Bedroom", "3 Bedroom Premium + Study C2N", "1,324 sq ft", "3 bedrooms, 3 bathrooms"],
        ["4 Bedroom", "4 Bedroom Deluxe D1", "1,636 sq ft", "4 bedrooms, 3 bathrooms"],
        ["4 Bedroom", "4 Bedroom Premium D2", "1,733 sq ft", "4 bedrooms, 4 bathrooms"],
        ["Penthouse", "5 Bedroom Penthouse PH1", "2,616 sq ft", "5 bedrooms, 4 bathrooms"],
        ["Penthouse", "PH2", "2,745 sq ft", "5 bedrooms, 5 bathrooms"],
        ["Penthouse", "PH3", "2,874 sq ft", "5 bedrooms, 5 bathrooms"],
      ],
    ],
    [
      "zh",
      [
        ["一卧房", "一卧房精巧型 A1", "527 平方英尺", "1间卧房，1间浴室"],
        ["一卧房", "一卧房豪华型 A2", "581 平方英尺", "1间卧房，1间浴室"],
        ["一卧房", "一卧房尊享型 A3", "614 平方英尺", "1间卧房，1间浴室"],
        ["两卧房", "两卧房精巧型 B1", "721 平方英尺", "2间卧房，2间浴室"],
        ["两卧房", "两卧房豪华型 B2", "829 平方英尺", "2间卧房，2间浴室"],
        ["三卧房", "三卧房豪华型 C1", "1,119 平方英尺", "3间卧房，2间浴室"],
        ["三卧房", "三卧房加书房尊享型 C2N", "1,324 平方英尺", "3间卧房，3间浴室"],
        ["四卧房", "四卧房豪华型 D1", "1,636 平方英尺", "4间卧房，3间浴室"],
        ["四卧房", "四卧房尊享型 D2", "1,733 平方英尺", "4间卧房，4间浴室"],
        ["顶层公寓", "五卧房顶层公寓 PH1", "2,616 平方英尺", "5间卧房，4间浴室"],
        ["顶层公寓", "五卧房顶层公寓 PH2", "2,745 平方英尺", "5间卧房，5间浴室"],
        ["顶层公寓", "五卧房顶层公寓 PH3", "2,874 平方英尺", "5间卧房，5间浴室"],
      ],
    ],
  ])("show type, name, size and rooms in %s", (language, expected) => {
    renderGrid({ language });
    const shown = screen
      .getAllByRole("article")
      .map((card) =>
        [".plan-type", "h2", ".plan-area", ".plan-rooms"].map((part) =>
          textOf(card.querySelector(part)),
        ),
      );
    expect(shown).toEqual(expected);
  });

  it.each(languages)("show description and drawing in %s", (language) => {
    renderGrid({ language });
    for (const card of screen.getAllByRole("article")) {
      const { about } = messages[language].plans;
      expect(textOf(card)).toContain(about[card.id as FloorPlanId].replaceAll("\u00a0", " "));
      const drawing = card.querySelector("img")?.getAttribute("src");
      expect(drawing).toContain(`/${card.id.toLowerCase()}-card-${language}.svg`);
    }
  });
});

describe("the table of plans", () => {
  it("shows areas in square feet and square metres", () => {
    renderGrid();
    const rows = screen.getAllByRole("row").map((row) => [...row.children].map(textOf));
    expect(rows).toHaveLength(13);
    expect(rows[0]).toEqual(["Plan", "Bed / Bath", "Area"]);
    expect(rows[1]).toEqual(["A1 1 Bedroom Compact", "1 / 1", "527 sq ft 49 m²"]);
    expect(rows[12]).toEqual(["PH3 Penthouse", "5 / 5", "2,874 sq ft 267 m²"]);
  });

  it.each([
    ["?bedrooms=2", ["B1", "B2"]],
    ["?bedrooms=5&lang=zh", ["PH1", "PH2", "PH3"]],
  ])("shows the plans of %s, like the cards", (query, ids) => {
    renderGrid({ address: `/floor-plans${query}` });
    expect(screen.getAllByRole("article").map(({ id }) => id)).toEqual(ids);
    expect(screen.getAllByRole("row")).toHaveLength(ids.length + 1);
  });

  it.each(["?bedrooms=6", "?bedrooms=02", "?bedrooms=", ""])("shows all plans for %j", (query) => {
    renderGrid({ address: `/floor-plans${query}` });
    expect(screen.getAllByRole("article")).toHaveLength(12);
  });

  it("uses the first bedrooms parameter in any case, like nginx", () => {
    renderGrid({ address: "/floor-plans?Bedrooms=2&bedrooms=3" });
    expect(screen.getAllByRole("article").map(({ id }) => id)).toEqual(["B1", "B2"]);
    const all = screen.getByRole("link", { name: "All" });
    expect(all.getAttribute("href")).toBe("/floor-plans");
  });

  it("announces the number of plans after filtering", async () => {
    renderGrid();
    const status = document.querySelector("[aria-live]");
    expect(textOf(status)).toBe("12 plans shown");
    await userEvent.click(screen.getByRole("link", { name: /^2\sbedrooms$/ }));
    expect(textOf(status)).toBe("2 plans shown");
  });

  it("has filter links in the language of the page", async () => {
    renderGrid({ language: "zh" });
    const link = screen.getByRole("link", { name: "3间卧房" });
    expect(link.getAttribute("href")).toBe("/floor-plans?bedrooms=3&lang=zh");
    await userEvent.click(link);
    expect(screen.getAllByRole("article").map(({ id }) => id)).toEqual(["C1", "C2N"]);
    expect(link.getAttribute("aria-current")).toBe("true");
  });

  it("opens a plan in the viewer", async () => {
    renderGrid();
    await userEvent.click(within(screen.getByRole("table")).getByRole("link", { name: /^A3/ }));
    expect(headingOf(await screen.findByRole("dialog"))).toBe("1 Bedroom Premium A3");
  });
});

describe("compared plans", () => {
  it("are in the address, with their areas", async () => {
    renderGrid();
    expect(screen.queryByLabelText("First plan")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: /^Compare: .*A1$/ }));
    expect(document.querySelector(".compare-pair")).toBeNull();
    await userEvent.selectOptions(screen.getByLabelText("Second plan"), "PH3");
    expect(address()).toBe("/floor-plans?compare=A1,PH3");
    expect(document.querySelector(".compare-pair")?.textContent).toContain(
      "527 sq\u00a0ft (49 m²)",
    );
    const ask = screen.getByRole("link", { name: "Ask about A1 and PH3" });
    expect(ask.getAttribute("href")).toBe("/?ask=A1,PH3#contact-form");
  });

  it("stay when the filter changes", async () => {
    renderGrid({ address: "/floor-plans?compare=A1,B2" });
    await userEvent.click(screen.getByRole("link", { name: /^2\sbedrooms$/ }));
    expect(address()).toBe("/floor-plans?bedrooms=2&compare=A1,B2");
    expect(document.querySelectorAll(".compare-pair img")).toHaveLength(2);
  });

  it("leave the address when both are deselected", async () => {
    renderGrid({ address: "/floor-plans?compare=A1,B2" });
    await userEvent.selectOptions(screen.getByLabelText("First plan"), "");
    expect(address()).toBe("/floor-plans?compare=,B2");
    await userEvent.selectOptions(screen.getByLabelText("Second plan"), "");
    expect(address()).toBe("/floor-plans");
  });

  it.each(["A1", "A1,X9", "%00"])("are not shown for ?compare=%s", (named) => {
    renderGrid({ address: `/floor-plans?compare=${named}` });
    expect(document.querySelector(".compare-pair")).toBeNull();
  });
});

describe("'Compare'", () => {
  const compare = (name: RegExp) => screen.getByRole("button", { name });

  it("on a card selects a plan, and a third plan replaces the second", async () => {
    renderGrid();
    await userEvent.click(compare(/^Compare: .*C1$/));
    expect(screen.getByText("Choose another plan to compare")).toBeTruthy();
    await userEvent.click(compare(/^Compare: .*D1$/));
    expect(address()).toBe("/floor-plans?compare=C1,D1");
    expect(textOf(document.querySelector(".compare-difference"))).toBe(
      "D1 compared with C1: +517 sq ft · +1 bedroom · +1 bathroom",
    );
    await userEvent.click(compare(/^Compare: .*B1$/));
    expect(address()).toBe("/floor-plans?compare=C1,B1");
    expect(textOf(document.querySelector(".compare-difference"))).toContain("\u2212398 sq ft");
    expect(compare(/^Compare: .*B1$/).getAttribute("aria-pressed")).toBe("true");
    await userEvent.click(compare(/^Compare: .*C1$/));
    expect(address()).toBe("/floor-plans?compare=,B1");
    await userEvent.click(screen.getByRole("button", { name: "Compare nothing" }));
    expect(address()).toBe("/floor-plans");
  });

  it("in the viewer keeps its plan after the viewer closes", async () => {
    renderGrid({ language: "zh" });
    const dialog = await enlarge("C1");
    await userEvent.click(within(dialog).getByRole("button", { name: /^比较/ }));
    await userEvent.click(within(dialog).getByRole("button", { name: "关闭" }));
    await vi.waitFor(() => expect(dialog.isConnected).toBe(false));
    expect(address()).toBe("/floor-plans?compare=C1&lang=zh");
  });
});

describe("'Ask about this plan'", () => {
  it.each([
    ["en", /^Ask about this plan: .*C1$/, "/?ask=C1#contact-form"],
    ["zh", /^咨询此户型：.*C1$/, "/?ask=C1&lang=zh#contact-form"],
  ] as const)("links to the form from card and viewer, in %s", async (language, name, href) => {
    renderGrid({ language });
    await enlarge("C1");
    const links = screen.getAllByRole("link", { name, hidden: true });
    expect(links.map((link) => link.getAttribute("href"))).toEqual([href, href]);
  });
});

describe("'Share'", () => {
  afterEach(() => vi.unstubAllGlobals());

  const url = `${window.location.origin}/floor-plans?plan=C1&lang=zh`;

  it("passes the address in the visitor's language to the browser", async () => {
    const share = vi.fn(async () => {});
    vi.stubGlobal("navigator", { ...navigator, share });
    renderGrid({ language: "zh" });
    await enlarge("C1");
    fireEvent.click(screen.getByRole("button", { name: "分享" }));
    expect(share).toHaveBeenCalledWith({ title: "三卧房豪华型 C1", url });
  });

  it.each([
    ["cannot share", undefined],
    ["fails to share", () => Promise.reject(new DOMException("", "NotAllowedError"))],
  ])("copies the address of this plan if the browser %s", async (_, share) => {
    const writeText = vi.fn(async () => {});
    vi.stubGlobal("navigator", { ...navigator, share, clipboard: { writeText } });
    renderGrid({ language: "zh" });
    await enlarge("C1");
    fireEvent.click(screen.getByRole("button", { name: "分享" }));
    expect(await screen.findByRole("button", { name: "链接已复制" })).toBeTruthy();
    expect(writeText).toHaveBeenCalledWith(url);
    fireEvent.keyDown(screen.getByRole("dialog"), { key: "ArrowRight" });
    expect(screen.getByRole("button", { name: "分享" })).toBeTruthy();
  });

  it("copies nothing when the visitor cancels", async () => {
    const writeText = vi.fn(async () => {});
    const share = () => Promise.reject(new DOMException("", "AbortError"));
    vi.stubGlobal("navigator", { ...navigator, share, clipboard: { writeText } });
    renderGrid();
    await enlarge("C1");
    await userEvent.click(screen.getByRole("button", { name: "Share" }));
    expect(screen.getByRole("button", { name: "Share" })).toBeTruthy();
    expect(writeText).not.toHaveBeenCalled();
  });
});

describe("'Download Plan'", () => {
  it.each([
    ["en", /^Download Plan: .*C2N$/],
    ["zh", /^下载平面图：.*C2N$/],
  ] as const)("only logs a message, in %s", async (language, name) => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    renderGrid({ language });
    await userEvent.click(screen.getByRole("button", { name }));
    expect(log.mock.calls).toEqual([[expect.stringContaining("C2N")]]);
    expect(document.querySelector("a[download]")).toBeNull();
  });

  it("links to the sheet in the page's language if downloads are on", () => {
    vi.spyOn(settings, "planDownloads", "get").mockReturnValue(true);
    renderGrid({ language: "zh" });
    const link = screen.getByRole("link", { name: /^下载平面图：.*C2N$/ });
    expect(link.getAttribute("href")).toBe("/plans/c2n-zh.pdf");
    expect(link.hasAttribute("download")).toBe(true);
  });

  it.each([
    [false, 0],
    [true, 1],
  ])("with downloads %s, is in the viewer %d times", async (isOn, count) => {
    vi.spyOn(settings, "planDownloads", "get").mockReturnValue(isOn);
    renderGrid();
    const dialog = await enlarge("C1");
    expect(dialog.querySelectorAll(".plan-download")).toHaveLength(count);
  });
});

const opener = (id: string) => document.querySelector(`[id="${id}"] a`) as HTMLElement;

async function enlarge(id: string): Promise<HTMLElement> {
  await userEvent.click(opener(id));
  return screen.findByRole("dialog");
}

const headingOf = (dialog: HTMLElement) => textOf(within(dialog).getByRole("heading"));
const percentage = (dialog: HTMLElement) => dialog.querySelector("output")?.textContent;

describe("the viewer", () => {
  it("opens by its address, and stays on the page when closed", async () => {
    renderGrid({ address: "/floor-plans?plan=C1" });
    const dialog = await screen.findByRole("dialog", { name: "3\u00a0Bedroom Deluxe C1" });
    await userEvent.click(within(dialog).getByRole("button", { name: "Close" }));
    await vi.waitFor(() => expect(dialog.isConnected).toBe(false));
    expect(address()).toBe("/floor-plans");
    expect(document.activeElement).toBe(opener("C1"));
  });

  it("opens for a plan that the filter hides, among all plans", () => {
    renderGrid({ address: "/floor-plans?bedrooms=1&plan=C1" });
    expect(screen.getByRole("dialog").textContent).toContain("6 of 12");
    expect(screen.getAllByRole("article")).toHaveLength(3);
  });

  it("changes the address with the plan, and restores it when closed", async () => {
    renderGrid({ address: "/floor-plans?bedrooms=3" });
    const dialog = await enlarge("C1");
    expect(address()).toBe("/floor-plans?bedrooms=3&plan=C1");
    fireEvent.keyDown(dialog, { key: "ArrowRight" });
    expect(address()).toBe("/floor-plans?bedrooms=3&plan=C2N");
    await userEvent.click(within(dialog).getByRole("button", { name: "Close" }));
    await vi.waitFor(() => expect(address()).toBe("/floor-plans?bedrooms=3"));
  });

  it("shows the price of the plan", async () => {
    renderGrid();
    const dialog = await enlarge("C1");
    expect(textOf(dialog)).toContain("3 Bedroom Deluxe C1Price: announced with the release");
    expect(textOf(dialog)).toContain("1,119 sq ft3 bedrooms, 2 bathrooms");
  });

  it("steps from the last plan to the first", async () => {
    renderGrid();
    const dialog = await enlarge("PH2");
    fireEvent.keyDown(dialog, { key: "ArrowRight" });
    expect(headingOf(dialog)).toBe("PH3");
    fireEvent.keyDown(dialog, { key: "ArrowRight" });
    expect(headingOf(dialog)).toBe("1 Bedroom Compact A1");
    fireEvent.keyDown(dialog, { key: "ArrowLeft" });
    expect(headingOf(dialog)).toBe("PH3");
  });

  it("steps through the filtered plans", async () => {
    renderGrid({ address: "/floor-plans?bedrooms=1" });
    const dialog = await enlarge("A2");
    expect(textOf(dialog)).toContain("2 of 3");
    fireEvent.keyDown(dialog, { key: "ArrowRight" });
    fireEvent.keyDown(dialog, { key: "ArrowRight" });
    expect(headingOf(dialog)).toBe("1 Bedroom Compact A1");
  });

  it("ignores the browser's zoom keys", async () => {
    renderGrid();
    const dialog = await enlarge("C1");
    expect(fireEvent.keyDown(dialog, { key: "+", ctrlKey: true })).toBe(true);
    expect(percentage(dialog)).toBe("100%");
  });

  it("has buttons to step, and to zoom between 100 % and 300 %", async () => {
    renderGrid();
    const dialog = await enlarge("A1");
    const button = (name: string) => within(dialog).getByRole("button", { name });
    await userEvent.click(button("Previous"));
    expect(headingOf(dialog)).toBe("PH3");
    expect(button("Zoom out").getAttribute("aria-disabled")).toBe("true");
    for (const expected of ["200%", "300%", "300%"]) {
      await userEvent.click(button("Zoom in"));
      expect(percentage(dialog)).toBe(expected);
    }
    expect(button("Zoom in").getAttribute("aria-disabled")).toBe("true");
    await userEvent.click(button("Next"));
    expect(percentage(dialog)).toBe("100%");
  });

  it("opens once on a double click on a card", async () => {
    renderGrid();
    await userEvent.dblClick(opener("B1"));
    const dialog = await screen.findByRole("dialog");
    await userEvent.click(within(dialog).getByRole("button", { name: "Close" }));
    await vi.waitFor(() => expect(dialog.isConnected).toBe(false));
  });

  it("does not open on a click for a new tab", async () => {
    renderGrid();
    expect(fireEvent.click(opener("A1"), { ctrlKey: true })).toBe(true);
    expect(document.querySelector("dialog")).toBeNull();
  });
});
