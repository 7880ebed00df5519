import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useSectionInView } from "./navigation.tsx";

const STRIP = { top: 116, bottom: 315 };

let scroll: (tops: Record<string, number>) => void;
let observed: string[];

beforeEach(() => {
  // In the order of the page, which differs from the order of the links.
  document.body.innerHTML = `
    <main id="main">
      <section id="hero"></section>
      <section id="blog"></section>
      <section id="zyon-grand"></section>
      <section id="facilities"></section>
      <section id="developer"></section>
      <div id="contact"><section id="contact-form"></section></div>
    </main>`;
  observed = [];
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(callback: (entries: object[]) => void) {
        scroll = (tops) => {
          for (const [id, top] of Object.entries(tops)) {
            const section = document.getElementById(id) as HTMLElement;
            section.getBoundingClientRect = () => new DOMRect(0, top, 1_000, 400);
          }
          act(() => callback([{ rootBounds: STRIP }]));
        };
      }
      observe = (part: Element) => observed.push(part.id);
      disconnect = () => {
        observed = [];
      };
    },
  );
});

afterEach(() => {
  vi.unstubAllGlobals();
});

it("returns the beginning until the first section arrives", () => {
  const { result } = renderHook(() => useSectionInView(true));
  expect(result.current).toBe("beginning");
  scroll({ blog: 700, "zyon-grand": 1_200, developer: 2_500, contact: 6_000 });
  expect(result.current).toBe("beginning");
  scroll({ blog: 300 });
  expect(result.current).toBe("blog");
});

it("returns the section below the bar if the next is visible too", () => {
  const { result } = renderHook(() => useSectionInView(true));
  scroll({ blog: -300, "zyon-grand": 100, developer: 300, contact: 3_000 });
  expect(result.current).toBe("zyon-grand");
});

it("returns null in a section without a link", () => {
  const { result } = renderHook(() => useSectionInView(true));
  scroll({ blog: -2_000, "zyon-grand": -1_500, developer: 600, contact: 3_000 });
  expect(result.current).toBeNull();
});

it("observes sections without a link too", () => {
  renderHook(() => useSectionInView(true));
  const sections = ["hero", "blog", "zyon-grand", "facilities", "developer", "contact"];
  expect(observed).toEqual([...sections, "contact-form"]);
});

it("stops observing when the visitor leaves the home page", () => {
  const { result, rerender } = renderHook(({ atHome }) => useSectionInView(atHome), {
    initialProps: { atHome: true },
  });
  scroll({ blog: -2_000, "zyon-grand": -1_500, developer: 100, contact: 3_000 });
  expect(result.current).toBe("developer");
  rerender({ atHome: false });
  expect(result.current).toBe("beginning");
  expect(observed).toEqual([]);
});
