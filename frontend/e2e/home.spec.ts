import { expect, type Locator, type Page } from "@playwright/test";
import { expectNoOverflow } from "./support/overflow.ts";
import { test } from "./support/site.ts";

const pointFigures = {
  en: [
    "70 m",
    "320 m",
    "706 homes",
    "62 storeys",
    "36 storeys",
    "12 plans",
    "99 years",
    "10 facilities",
    "1.5 km",
    "8 min",
  ],
  zh: [
    "70 米",
    "320 米",
    "706 户",
    "62 层",
    "36 层",
    "12 款",
    "99 年",
    "10 项",
    "1.5 公里内",
    "8 分钟车程",
  ],
};

async function boxOf(element: Locator) {
  return (await element.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
}

const formValues = (page: Page) =>
  page
    .locator("form#contact-form")
    .evaluate((form: HTMLFormElement) => [...new FormData(form)].map(String));

test("the home page has every section of the specification", { tag: "@zh" }, async ({
  page,
  visit,
  language,
  texts,
}) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await visit("/");

  await test.step("every anchor is on its section", async () => {
    const sections = {
      blog: texts.update.heading,
      "zyon-grand": texts.overview.heading,
      developer: texts.information.heading,
      "central-region": texts.location.heading,
      showflat: texts.callToAction.heading,
      contact: texts.contact.heading,
      "contact-form": texts.contact.heading,
      "privacy-policy": texts.privacy.heading,
    };
    for (const [anchor, heading] of Object.entries(sections)) {
      const section = page.locator(`[id="${anchor}"]`);
      await expect(section).toHaveCount(1);
      await expect(section.getByRole("heading", { name: heading })).toHaveCount(1);
    }
    await expect(page.locator("#contact form#contact-form")).toHaveCount(1);
  });

  await test.step("the hero shows the name and is 600 px high", async () => {
    const hero = page.locator(".hero");
    const name = page.getByRole("heading", { level: 1 });
    await expect(name).toHaveText("Zyon Grand");
    for (const width of [320, 390, 768, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      await expect(name).toBeInViewport();
      await expectNoOverflow(page);
      expect((await hero.boundingBox())?.height, `at ${width}`).toBe(600);
      const picture = hero.getByRole("img");
      await expect
        .poll(() =>
          picture.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth > 0),
        )
        .toBe(true);
    }
  });

  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await test.step("the sections are in order", async () => {
      const headings = [
        texts.update.heading,
        texts.overview.heading,
        texts.points.heading,
        texts.information.heading,
        texts.benefits.heading,
        texts.facilities.heading,
        texts.location.heading,
        texts.questions.heading,
        texts.callToAction.heading,
        texts.contact.heading,
        texts.privacy.heading,
      ];
      const shown = page.locator("main :is(h2, h3)").filter({ visible: true });
      const tops = await shown.evaluateAll((elements) =>
        elements.map(
          (element) => [element.textContent, element.getBoundingClientRect().y] as const,
        ),
      );
      const inOrder = [...tops].sort(([, one], [, other]) => one - other).map(([text]) => text);
      expect(inOrder.filter((text) => headings.includes(text ?? ""))).toEqual(headings);
      await expect(page.locator("#blog").getByRole("heading")).toHaveText([
        texts.update.label,
        texts.update.heading,
      ]);
      const { before, link, after } = texts.update;
      await expect(page.locator("#blog").getByText(before + link + after)).toBeVisible();
    });

    await test.step("the overview has two pictures and three paragraphs", async () => {
      const overview = page.locator("#zyon-grand");
      await expect(overview.getByRole("img")).toHaveCount(2);
      await expect(
        overview.getByRole("img", { name: texts.pictures.arrivalPicture }),
      ).toBeVisible();
      await expect(overview.getByRole("img", { name: texts.pictures.livingPicture })).toBeVisible();
      await expect(overview.getByText(texts.impression)).toHaveCount(2);
      for (const paragraph of [texts.overview.lead, texts.overview.third, texts.overview.range]) {
        await expect(overview.getByText(paragraph)).toBeVisible();
      }
    });

    await test.step("ten selling points have the figures of the specification", async () => {
      const points = page.locator("section", {
        has: page.getByRole("heading", { name: texts.points.heading }),
      });
      await expect(points.getByRole("listitem")).toHaveCount(10);
      await expect(points.locator(".points-figure")).toHaveText(pointFigures[language]);
      await expect(points).toContainText("2024");
    });

    await test.step("the project information is a table of nine facts", async () => {
      const { information } = texts;
      const rows = page.locator("#developer").getByRole("table").getByRole("row");
      await expect(rows).toHaveCount(9);
      const expected = [
        [information.name, "Zyon Grand"],
        [information.developer, information.developerText],
        [information.description, information.descriptionText],
        [information.units, information.unitsText],
        [information.tenure, information.tenureText],
        [information.unitTypes, information.unitTypesText],
        [information.conceptArchitect, texts.toBeAnnounced],
        [information.projectArchitect, texts.toBeAnnounced],
        [information.landscapeArchitect, texts.toBeAnnounced],
      ] as const;
      for (const [index, [header, value]] of expected.entries()) {
        const row = rows.nth(index);
        await expect(row.getByRole("rowheader")).toHaveText(header);
        await expect(row.getByRole("cell")).toContainText(value);
      }
      const boxes = await rows
        .locator(":is(th, td)")
        .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().toJSON()));
      for (const [index, { left, right, top }] of boxes.entries()) {
        expect(left).toBeGreaterThanOrEqual(0);
        expect(right).toBeLessThanOrEqual(width);
        // Header and value of each row.
        expect(top).toBeGreaterThan(boxes[index - 2]?.top ?? Number.NEGATIVE_INFINITY);
      }
    });

    await test.step("the benefits include two views from level 40", async () => {
      const { benefits } = texts;
      for (const { heading, text } of [benefits.location, benefits.architecture]) {
        await expect(page.getByRole("heading", { name: heading, exact: true })).toBeVisible();
        await expect(page.getByText(text)).toBeVisible();
      }
      const at40 = (text: string) => text.replace("{{level}}", "40");
      for (const [picture, caption] of [
        [at40(benefits.southPicture), at40(benefits.south)],
        [at40(benefits.northPicture), at40(benefits.north)],
      ] as const) {
        const figure = page
          .getByRole("figure")
          .filter({ has: page.getByRole("img", { name: picture }) });
        await expect(figure.getByText(caption)).toBeVisible();
        await expect(figure.getByText(texts.impression)).toBeVisible();
      }
    });

    await test.step("ten facilities are listed, and marked as preliminary", async () => {
      const { heading: _heading, note, ...facilities } = texts.facilities;
      const section = page.locator("section", { has: page.getByText(note) });
      await expect(section.getByText(note)).toBeVisible();
      await expect(section.getByRole("listitem")).toHaveText(
        Object.values(facilities).map(({ heading }) => heading),
      );
      await expect(section.getByRole("listitem")).toHaveCount(10);
    });

    await test.step("the location has cards, lists and distances beside the open map", async () => {
      const { roads, recreation, offices, nearby } = texts.location;
      const location = page.locator("#central-region");
      const map = location.locator(".map");
      await map.scrollIntoViewIfNeeded();
      await expect(map.locator("iframe")).toBeVisible();
      expect(await map.evaluate((element) => element.clientHeight)).toBe(450);
      expect((await map.locator("iframe").boundingBox())?.height).toBe(450);

      const cards = location.locator(".location-cards");
      for (const card of [roads, recreation, offices]) {
        await expect(cards.getByRole("heading", { name: card.heading })).toBeVisible();
        await expect(cards.getByText(card.text)).toBeVisible();
      }
      for (const distance of [
        /70\s?(m|米)/,
        /320\s?(m|米)/,
        /1\.5\s?(km|公里)/,
        /1\.7\s?(km|公里)/,
      ]) {
        await expect(cards.getByText(distance)).toBeVisible();
      }
      const lists = location.locator(".nearby");
      await expect(lists.getByRole("heading", { level: 4 })).toHaveText([
        nearby.shopping,
        nearby.schools,
        nearby.businessParks,
        nearby.healthcare,
      ]);
      await expect(lists.getByRole("list")).toHaveCount(4);
      await expect(lists.getByRole("listitem")).toHaveText(
        [
          [nearby.shops, nearby.onSite],
          [nearby.supermarket, nearby.onSite],
          [nearby.eateries, nearby.withinKilometres],
          [nearby.shoppingBelt, nearby.minutesByCar],
          [nearby.childcare, nearby.onSite],
          [texts.toBeAnnounced],
          [nearby.clinics, nearby.aboutKilometre],
          [nearby.hospitals, nearby.withinKilometres],
        ].map((place) => place.join(" ")),
      );
    });

    await test.step("the Latest Update leads to the call to action and the form", async () => {
      await page.locator("#name").fill("Mei");
      await page.locator("#interest-purchase").check();
      const before = await formValues(page);
      await page.locator("#blog").getByRole("link", { name: texts.update.link }).click();
      await expect(page).toHaveURL(/#showflat$/);
      const band = page.locator("#showflat");
      await expect(band).toBeInViewport();
      await expect(band).toContainText(texts.callToAction.heading);
      await page
        .getByRole("button", { name: texts.callToAction.button })
        .filter({ visible: true })
        .click();
      await expect(page).toHaveURL(/#contact-form$/);
      await expect(page.getByRole("heading", { name: texts.contact.heading })).toBeInViewport();
      expect(await formValues(page)).toEqual(before);
    });

    await test.step("the form is beside the words, or below them on a phone", async () => {
      const words = await boxOf(page.locator(".contact-words"));
      const form = await boxOf(page.locator(".contact-form"));
      if (width === 390) {
        expect(words.y + words.height).toBeLessThanOrEqual(form.y);
      } else {
        expect(words.x + words.width).toBeLessThanOrEqual(form.x);
        expect(words.y).toBeLessThan(form.y + form.height);
        expect(form.y).toBeLessThan(words.y + words.height);
      }
      const { text, receive } = texts.contact;
      for (const line of [text, ...Object.values(receive)]) {
        await expect(page.locator(".contact-words").getByText(line)).toBeVisible();
      }
      for (const label of Object.values(texts.registration.interest)) {
        await expect(page.locator("#contact-form").getByText(label)).toBeVisible();
      }
      const asterisks = page.locator("#contact-form .asterisk");
      await expect(asterisks.filter({ visible: true })).toHaveCount(6);
    });

    await test.step("the consent links to the privacy policy", async () => {
      await page
        .locator("#contact-form")
        .getByRole("link", { name: texts.registration.privacyLink })
        .click();
      await expect(page).toHaveURL(/#privacy-policy$/);
      const policy = page.locator("#privacy-policy");
      await expect(policy.getByRole("heading", { name: texts.privacy.heading })).toBeInViewport();
      for (const item of ["collected", "why", "howLong", "whom", "withdraw"] as const) {
        await expect(policy.getByText(texts.privacy[item], { exact: true })).toBeVisible();
      }
    });

    await test.step("the footer has wordmark, copyright and a link to the developer", async () => {
      const footer = page.getByRole("contentinfo");
      await expect(footer).toContainText(texts.footer.copyright);
      expect(texts.footer.copyright).toContain("2025");
      await expect(footer.locator(".wordmark")).toBeVisible();
      await footer.getByRole("link", { name: texts.footer.aboutDeveloper }).click();
      await expect(page).toHaveURL(/#developer$/);
      await expect(page.getByRole("heading", { name: texts.information.heading })).toBeInViewport();
    });
  }
});
