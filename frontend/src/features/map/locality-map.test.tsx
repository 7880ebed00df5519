import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { I18nextProvider } from "react-i18next";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { MapSettings } from "#settings.ts";
import { testI18n } from "#testing/test-i18n.ts";
import { LocalityMap } from "./locality-map.tsx";

/** A frame of a unit test loads what it is given, so it is given nothing that asks a network. */
const city: MapSettings = {
  address: "about:blank",
  showsCity: true,
  loading: "on-request",
};

/** Says that what is observed has come near, as a browser would. */
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

function open(map: MapSettings, answers = async () => true) {
  observed = 0;
  vi.stubGlobal("IntersectionObserver", FakeObserver);
  render(
    <I18nextProvider i18n={testI18n()}>
      <LocalityMap map={map} answers={answers} />
    </I18nextProvider>,
  );
}

afterEach(() => vi.unstubAllGlobals());

const frame = () => document.querySelector("iframe");
const illustration = () => screen.queryByRole("img", { name: /^Illustrated map/ });

describe("the map on request", () => {
  it("is our own until it is asked for, and says whom asking asks", () => {
    open({ ...city, address: "https://www.maps.example/embed?bbox=1" });
    expect(illustration()).toBeTruthy();
    expect(frame()).toBeNull();
    expect(observed).toBe(0);
    expect(screen.getByText("The interactive map is provided by maps.example")).toBeTruthy();
    expect(document.head.innerHTML + document.body.innerHTML).not.toContain("https://");
  });

  it("becomes the interactive one, fenced in, and goes back, and the focus stays on its button", async () => {
    open(city);
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

  it("says that it is loading until it has, and can be left meanwhile", async () => {
    open(city);
    fireEvent.click(screen.getByRole("button"));
    expect(screen.getByText("The map is loading.")).toBeTruthy();
    expect(illustration()).toBeTruthy();
    expect(screen.getByRole("button", { name: "Back to the illustrated map" })).toBeTruthy();
    await vi.waitFor(() => expect(frame()).toBeTruthy());
    fireEvent.load(frame() as Element);
    expect(screen.queryByText("The map is loading.")).toBeNull();
  });

  it("stays our own where its server does not answer, says so, and can be asked for again", async () => {
    let there = false;
    open(city, async () => there);
    await userEvent.click(screen.getByRole("button"));
    expect(screen.getByRole("status").textContent).toBe(
      "The interactive map is unavailable at the moment.",
    );
    expect(illustration()).toBeTruthy();
    expect(frame()).toBeNull();
    there = true;
    await userEvent.click(screen.getByRole("button", { name: "Open the interactive map" }));
    expect(frame()).toBeTruthy();
    expect(screen.getByRole("status").textContent).toBe("");
  });

  it.each([true, false])("tells what it shows when that is the city: %s", async (showsCity) => {
    open({ ...city, showsCity });
    await userEvent.click(screen.getByRole("button"));
    expect(screen.queryByText(/^This map shows the city/) !== null).toBe(showsCity);
  });
});

describe("the map that opens by itself", () => {
  const near: MapSettings = { ...city, loading: "when-near" };

  it("waits until the section is near, and comes once", async () => {
    open(near);
    approach(false);
    expect(frame()).toBeNull();
    approach(true);
    await vi.waitFor(() => expect(frame()?.src).toBe(near.address));
    expect(observed).toBe(0);
    await userEvent.click(screen.getByRole("button", { name: "Back to the illustrated map" }));
    approach(true);
    expect(frame()).toBeNull();
  });

  it("waits to be asked by a visitor who saves data", async () => {
    vi.stubGlobal("navigator", { connection: { saveData: true } });
    open(near);
    expect(observed).toBe(0);
    expect(frame()).toBeNull();
  });
});
