import { useEffect, useState } from "react";
import { type LinkedSection, linkedSections } from "./navigation.ts";

/** A section with a link; `beginning` above the first of them, `null` where the page has none. */
export type InView = LinkedSection | "beginning" | null;

const LINKED = linkedSections.map((id) => `#${id}`).join(", ");

/** Follows which section of the home page stands where a link to it would have put it: below the bar. */
export function useSectionInView(atHome: boolean): InView {
  const [inView, setInView] = useState<InView>("beginning");

  useEffect(() => {
    if (!atHome) {
      return;
    }
    const linked = [...document.querySelectorAll(LINKED)];
    const observer = new IntersectionObserver(
      ([entry]) => {
        const strip = entry?.rootBounds;
        if (strip) {
          setInView(sectionIn(strip, linked));
        }
      },
      { rootMargin: `-${landingLine()}px 0px -65% 0px` },
    );
    // Also the parts without a link: a leap from one of them to another is seen by nothing else.
    for (const part of document.querySelectorAll(`#main section, ${LINKED}`)) {
      observer.observe(part);
    }
    return () => {
      observer.disconnect();
      setInView("beginning");
    };
  }, [atHome]);

  return inView;
}

/** The first section, in the order of the page, that reaches into the strip. */
function sectionIn(strip: DOMRectReadOnly, linked: readonly Element[]): InView {
  const places = linked.map((section) => section.getBoundingClientRect());
  const reaching = places.findIndex(({ top, bottom }) => top < strip.bottom && bottom > strip.top);
  if (reaching !== -1) {
    return linked[reaching]?.id as LinkedSection;
  }
  return places.every(({ top }) => top >= strip.bottom) ? "beginning" : null;
}

/** A little below where scrolling to a section puts its top, so that the section before it has left. */
function landingLine(): number {
  const padding = getComputedStyle(document.documentElement).scrollPaddingTop;
  return (Number.parseFloat(padding) || 0) + 16;
}
