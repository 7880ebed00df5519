import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { I18nProvider } from "#shared/i18n/use-translation.tsx";
import type { MapSettings } from "#site/settings.ts";
import { testI18n } from "#site/testing/test-i18n.ts";
import { LocalityMap } from "./locality-map.tsx";

/** A frame loads its address in a unit test too, so this address needs no network. */
const city: MapSettings = {
  address: "about:blank",
  showsCity: true,
  loading: "on-request",
};

/** Reports to the observer whether its element is near. */
let approach: (isIntersecting: boolean) => void = () => {};
let observed = 0;

class FakeObserver {
  constructor(callback: (entries: { isIntersecting: boolean }[]) => void) {
    approach = (isIntersecting) => act(() => callback([{ isIntersecting }]));
  }
  observe() {
    observed += 1;
  }
  disconnect() {
    observed -= 1;
    approach = () => {};
  }
}

function renderMap(map: MapSettings, isReachable = async () => true) {
  observed = 0;
  vi.stubGlobal("IntersectionObserver", FakeObserver);
  render(
    <I18nProvider i18n={testI18n()}>
      <LocalityMap map={map} isReachable={isReachable} />
    </I18nProvider>,
  );
}

afterEach(() => vi.unstubAllGlobals());

const frame = () => document.querySelector("iframe");
const link = () => screen.queryByRole("link", { name: /^Interactive map:/ });
const illustration = () => screen.queryByRole("img", { name: /^Illustrated map/ });

describe("the map on request", () => {
  it("opens in a sandbox", async () => {
    renderMap(city);
    await userEvent.click(screen.getByRole("button", { name: "Open the interactive map" }));
    expect(frame()?.getAttribute("sandbox")).toBe(
      "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox",
    );
    expect(frame()?.getAttribute("referrerpolicy")).toBe("no-referrer");
  });

  it("announces that it is loading, and can be closed meanwhile", async () => {
    renderMap(city);
    fireEvent.click(screen.getByRole("button"));
    expect(screen.getByText("The map is loading.")).toBeTruthy();
    expect(illustration()).toBeTruthy();
    expect(screen.getByRole("button", { name: "Back to the illustrated map" })).toBeTruthy();
    await vi.waitFor(() => expect(frame()).toBeTruthy());
    fireEvent.load(frame() as Element);
    expect(screen.queryByText("The map is loading.")).toBeNull();
    expect(link()).toBeNull();
  });

  it.each([true, false])(
    "explains that it shows the city only if it does: %s",
    async (showsCity) => {
      renderMap({ ...city, showsCity });
      await userEvent.click(screen.getByRole("button"));
      expect(screen.queryByText(/^This map shows the city/) !== null).toBe(showsCity);
    },
  );
});

describe("a late answer of the map's server", () => {
  /** Opens the map, closes it and opens it again; returns the answers to the two requests. */
  function openTwice() {
    const answers: ((reachable: boolean) => void)[] = [];
    renderMap(city, () => new Promise((resolve) => answers.push(resolve)));
    const press = () => fireEvent.click(screen.getByRole("button"));
    press();
    press();
    press();
    return (request: number, reachable: boolean) => act(async () => answers[request]?.(reachable));
  }

  it("does not count after the map was closed and opened again", async () => {
    const answer = openTwice();
    await answer(0, false);
    expect(screen.queryByText(/unavailable/)).toBeNull();
    await answer(1, true);
    expect(frame()).toBeTruthy();
  });

  it("does not replace a later failure", async () => {
    const answer = openTwice();
    await answer(1, false);
    await answer(0, true);
    expect(frame()).toBeNull();
    expect(screen.getByText(/unavailable/)).toBeTruthy();
  });
});

it("a shown map names the host that sees the visitor", async () => {
  renderMap({ ...city, address: "https://www.maps.example/embed" });
  expect(screen.queryByText(/network address/)).toBeNull();
  await userEvent.click(screen.getByRole("button"));
  expect(screen.getByText(/from maps\.example, which sees your network address/)).toBeTruthy();
});

describe("the map that opens when near", () => {
  const near: MapSettings = { ...city, loading: "when-near" };

  it("opens once, when its section comes near", async () => {
    renderMap(near);
    approach(false);
    expect(frame()).toBeNull();
    approach(true);
    await vi.waitFor(() => expect(frame()?.src).toBe(near.address));
    expect(observed).toBe(0);
    await userEvent.click(screen.getByRole("button", { name: "Back to the illustrated map" }));
    approach(true);
    expect(frame()).toBeNull();
  });

  it("waits for the visitor if the browser saves data", async () => {
    vi.stubGlobal("navigator", { connection: { saveData: true } });
    renderMap(near);
    expect(observed).toBe(0);
    expect(frame()).toBeNull();
  });
});
