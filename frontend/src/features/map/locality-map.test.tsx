import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { I18nextProvider } from "react-i18next";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { MapSettings } from "#settings.ts";
import { testI18n } from "#testing/test-i18n.ts";
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
    <I18nextProvider i18n={testI18n()}>
      <LocalityMap map={map} isReachable={isReachable} />
    </I18nextProvider>,
  );
}

afterEach(() => vi.unstubAllGlobals());

const frame = () => document.querySelector("iframe");
const link = () => screen.queryByRole("link", { name: /^Interactive map:/ });
const illustration = () => screen.queryByRole("img", { name: /^Illustrated map/ });

describe("the map on request", () => {
  it("is illustrated at first and links to the interactive map", () => {
    renderMap({ ...city, address: "https://www.maps.example/embed?bbox=1" });
    expect(illustration()).toBeTruthy();
    expect(frame()).toBeNull();
    expect(observed).toBe(0);
    expect(link()?.getAttribute("href")).toBe("https://www.maps.example/embed?bbox=1");
    expect(document.querySelector("[src^=http]")).toBeNull();
  });

  it("opens in a sandbox and closes, with the focus on its button", async () => {
    renderMap(city);
    screen.getByRole("button", { name: "Open the interactive map" }).focus();
    await userEvent.keyboard("{Enter}");
    expect(illustration()).toBeNull();
    expect(frame()?.src).toBe(city.address);
    expect(frame()?.title).toBe("Interactive map");
    expect(frame()?.getAttribute("sandbox")).toBe(
      "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox",
    );
    expect(frame()?.getAttribute("referrerpolicy")).toBe("no-referrer");
    const back = screen.getByRole("button", { name: "Back to the illustrated map" });
    expect(document.activeElement).toBe(back);

    await userEvent.keyboard("{Enter}");
    expect(frame()).toBeNull();
    expect(illustration()).toBeTruthy();
    expect(document.activeElement).toBe(
      screen.getByRole("button", { name: "Open the interactive map" }),
    );
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

  it("stays illustrated if its server does not answer", async () => {
    let isUp = false;
    renderMap(city, async () => isUp);
    await userEvent.click(screen.getByRole("button"));
    expect(screen.getByRole("status").textContent).toBe(
      "The interactive map is unavailable at the moment.",
    );
    expect(illustration()).toBeTruthy();
    expect(frame()).toBeNull();
    expect(link()?.getAttribute("href")).toBe(city.address);
    isUp = true;
    await userEvent.click(screen.getByRole("button", { name: "Open the interactive map" }));
    fireEvent.load(frame() as Element);
    expect(screen.getByRole("status").textContent).toBe("");
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
