import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/**
 * Violations of WCAG 2.2 AA and of axe's best practices on the current page.
 * @param part selector of the checked part. An open dialog makes the rest inert, but axe would check it
 */
export async function violationsOf(page: Page, part = "html") {
  // During a transition a colour may have less contrast than before and after.
  await page.evaluate(() => {
    const transitions = document.getAnimations().filter((it) => it instanceof CSSTransition);
    return Promise.allSettled(transitions.map((it) => it.finished));
  });
  const { violations } = await new AxeBuilder({ page })
    .include(part)
    // Reports in the page itself. The site has no frames of other origins, for which axe would open another page.
    .setLegacyMode()
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
}
