import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/**
 * What axe finds on a page as it stands, by WCAG 2.2 AA and its own good practice.
 * @param part of the page; an open dialog makes the rest inert, which axe does not know
 */
export async function violationsOf(page: Page, part = "html") {
  // A colour on its way to another has not the contrast of either.
  await page.evaluate(() => {
    const transitions = document.getAnimations().filter((it) => it instanceof CSSTransition);
    return Promise.allSettled(transitions.map((it) => it.finished));
  });
  const { violations } = await new AxeBuilder({ page })
    .include(part)
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
}
