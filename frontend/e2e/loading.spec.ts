import { expect, type Page, type Request } from "@playwright/test";
import { holdRequests, hydrated } from "./support/hydrated.ts";
import { test } from "./support/site.ts";

/** Answers requests for matching chunks with 404. Returns the paths of all requests from then on. */
async function removeChunk(page: Page, name: RegExp): Promise<string[]> {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  await page.route(name, (route) => route.fulfill({ status: 404 }));
  return requests;
}

async function moveAndScroll(page: Page): Promise<void> {
  for (let move = 0; move < 50; move += 1) {
    await page.mouse.move(100 + move, 100);
  }
  await page.mouse.wheel(0, 400);
}

test("the plain page works without any one of its chunks", async ({ page, problems }) => {
  problems.expect(/404/, /Failed to fetch dynamically imported module/);
  // Chromium's document for a picture has inline styles.
  problems.expect(/Applying inline style/);
  for (const name of ["site", "libraries", "home-page", "home"]) {
    await test.step(name, async () => {
      const chunk = new RegExp(`/assets/${name}-[\\w-]{8}\\.js$`);
      // Ends the requests of the step before, which would count.
      await page.goto("about:blank");
      const requests = await removeChunk(page, chunk);
      await page.goto("/?lang=en");
      const asked = () => requests.filter((path) => chunk.test(path)).length;
      // The first request and at least one retry.
      await expect.poll(asked).toBeGreaterThanOrEqual(2);
      await moveAndScroll(page);
      expect(asked()).toBeLessThanOrEqual(3);
      expect(requests.filter((path) => path === "/").length).toBeLessThanOrEqual(3);
      await page.locator("#name").fill("Mei");
      await page.locator(".large-picture").first().click();
      await expect(page).toHaveURL(/\.jpeg$/);
      await page.goBack();
      await page.getByRole("banner").getByRole("button", { name: "中文" }).click();
      await expect(page.locator("html")).toHaveAttribute("lang", "zh-Hans");
      await page.unroute(chunk);
    });
  }
});

test("a page loads six scripts together, and the other page's when it is idle", async ({
  page,
}) => {
  for (const [address, other] of [
    ["/", "floor-plans"],
    ["/floor-plans?lang=zh", "home"],
  ] as const) {
    const started: string[] = [];
    const watch = (request: Request) => {
      if (request.resourceType() === "script") {
        started.push(new URL(request.url()).pathname);
      }
    };
    page.on("request", watch);
    // The modules that the document lists are requested without waiting for any of them.
    const release = await holdRequests(page, /\/assets\/(?!boot-)[^/]+\.js$/);
    await page.goto(address);
    await expect.poll(() => started.length, address).toBe(6);
    release();
    await hydrated(page);
    await expect.poll(() => started.length, address).toBe(8);
    const late = started.slice(6).join(" ");
    expect(late).toMatch(new RegExp(`/assets/${other}-page-`));
    expect(late).toMatch(new RegExp(`/assets/${other}-[\\w-]{8}\\.js`));
    page.off("request", watch);
    await page.unroute(/\/assets\/(?!boot-)[^/]+\.js$/);
    await page.goto("about:blank");
  }
});

test("a missing chunk is requested again", async ({ page, problems }) => {
  problems.expect(/404/, /Failed to fetch dynamically imported module/);
  await page.route(/\/assets\/site-[^/]+\.js$/, (route) => route.fulfill({ status: 404 }), {
    times: 1,
  });
  await page.goto("/");
  await hydrated(page);
});

test("a picture, map or plan pressed before hydration opens after it", async ({ page }) => {
  const opened = page.getByRole("dialog").or(page.locator(".map-frame"));
  for (const [address, chunk, pressed] of [
    ["/", /\/assets\/home-page-[^/]+\.js$/, ".large-picture"],
    ["/", /\/assets\/home-page-[^/]+\.js$/, ".map-switch"],
    ["/floor-plans", /\/assets\/floor-plans-page-[^/]+\.js$/, ".plan-link"],
  ] as const) {
    await test.step(pressed, async () => {
      const release = await holdRequests(page, chunk);
      await page.goto(address);
      const documents: string[] = [];
      const watch = (request: Request) => {
        if (request.frame() === page.mainFrame() && request.isNavigationRequest()) {
          documents.push(request.url());
        }
      };
      page.on("request", watch);
      await page.locator(pressed).first().click();
      release();
      await expect(opened).toBeVisible();
      expect(documents).toEqual([]);
      page.off("request", watch);
      await page.unroute(chunk);
    });
  }
});

test("a link to a page whose code is missing loads its document", async ({ page, problems }) => {
  problems.expect(/404/, /Failed to fetch dynamically imported module/);
  const requests = await removeChunk(page, /\/assets\/floor-plans-page-[^/]+\.js$/);
  await page.goto("/");
  await hydrated(page);
  await page.getByRole("link", { name: "See the floor plans" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Floor plans");
  expect(requests.filter((path) => path.includes("floor-plans-page")).length).toBeLessThanOrEqual(
    3,
  );
});

test("the language toggle follows its link if its texts are missing", async ({
  page,
  problems,
}) => {
  problems.expect(/404/);
  const texts = /\/assets\/home-[\w-]{8}\.js$/;
  await page.goto("/?utm_source=news");
  await hydrated(page);
  await removeChunk(page, texts);
  await page.getByRole("banner").getByRole("button", { name: "中文" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-Hans");
  expect(new URL(page.url()).search).toBe("?utm_source=news&lang=zh");

  await test.step("and switches in place without another page's chunk", async () => {
    await page.unroute(texts);
    await page.reload();
    await hydrated(page);
    const requests = await removeChunk(
      page,
      /\/assets\/(floor-plans-page|plan-dialog|viewer)-[^/]+\.js$/,
    );
    await page.getByRole("banner").getByRole("button", { name: "English" }).click();
    await expect(page.locator("#contact-heading")).toHaveText("Register your Interest Now");
    expect(requests).not.toContain("/");
  });
});

/** Wraps every text in `<font>`, like a browser's translator. */
async function translate(page: Page): Promise<void> {
  await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const nodes: Text[] = [];
    while (texts.nextNode()) {
      nodes.push(texts.currentNode as Text);
    }
    for (const node of nodes.filter(({ data }) => data.trim() !== "")) {
      const font = document.createElement("font");
      font.textContent = `${node.data}~`;
      node.replaceWith(font);
    }
  });
}

test("a translated page switches its language and keeps typed text", async ({ page }) => {
  await page.goto("/");
  await hydrated(page);
  await page.locator("#name").fill("Mei");
  await translate(page);
  await page.getByRole("banner").getByRole("button", { name: /中文/ }).click();
  await expect(page.locator("#contact-heading")).toHaveText("立即登记意向");
  await expect(page.locator("#name")).toHaveValue("Mei");
});

test("a translated floor plans page shows the figures of each plan", async ({ page }) => {
  await page.goto("/floor-plans?compare=A1,B1");
  await hydrated(page);
  await page.locator("#A1 .plan-link").click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toBeVisible();
  await translate(page);
  const shown = async () => (await dialog.textContent())?.replaceAll("\u00a0", " ") ?? "";
  await page.keyboard.press("ArrowLeft");
  await expect.poll(shown).toContain("2,874 sq ft");
  await expect(dialog.getByRole("heading")).toHaveText(/PH3$/);
  expect(await shown()).toContain("5 bedrooms, 5 bathrooms");
  expect(await shown()).not.toContain("527");
  await page.keyboard.press("+");
  await expect(dialog.locator("output")).toHaveText("200%");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);

  await translate(page);
  const pair = page.locator(".compare");
  await page.locator("#compare-first").selectOption("PH3");
  const figures = pair.locator("figure").first();
  await expect(figures).toContainText("2,874");
  await expect(figures).not.toContainText("527");
  await expect(pair.locator(".compare-difference")).toContainText("2,153");
  await expect(pair.locator(".compare-difference")).not.toContainText("194");
  await page.locator(".plans-filter a").nth(2).click();
  await expect(page.getByRole("article")).toHaveCount(2);
});

test("a translated form shows the plan of the last question", async ({ page }) => {
  await page.goto("/?ask=A1");
  await hydrated(page);
  const asked = page.locator(".asked-plan");
  await expect(asked).toContainText("527");
  await translate(page);
  await page.locator(".overview-living .large-picture").click();
  await page.getByRole("dialog").getByRole("link", { name: "Ask about C1" }).click();
  await expect(asked).toContainText("1,119");
  await expect(asked).not.toContainText("527");
});

test("a press before hydration shows a sign, and loses nothing that was typed", async ({
  page,
}) => {
  const release = await holdRequests(page, "**/assets/site-*.js");
  await page.goto("/", { waitUntil: "domcontentloaded" });
  await page.locator("#name").fill("Mei");
  await page.getByLabel("Interested to Purchase").check();
  const toggle = page.getByRole("banner").getByRole("button", { name: "中文" });
  await toggle.click();
  await expect(toggle).toHaveAttribute("aria-busy", "true");
  release();
  await expect(page.locator("#contact-heading")).toHaveText("立即登记意向");
  await expect(page.locator("#name")).toHaveValue("Mei");
  await expect(page.locator("#interest-purchase")).toBeChecked();
  await expect(page.locator("[aria-busy]")).toHaveCount(0);
});

test("Enter in the form before hydration checks it in place", async ({ page }) => {
  const release = await holdRequests(page, "**/assets/site-*.js");
  await page.goto("/", { waitUntil: "domcontentloaded" });
  await page.locator("#name").fill("Mei");
  await page.locator("#name").press("Enter");
  await expect(page.locator("button[type=submit]")).toHaveAttribute("aria-busy", "true");
  release();
  await expect(page.locator("#mobile-error")).toHaveText("Mobile number must be at least 8 digits");
  await expect(page).toHaveURL((url) => url.pathname === "/");
  await expect(page.locator("#name")).toHaveValue("Mei");
});

test("a page translated before hydration keeps typed text", async ({ page, problems }) => {
  problems.expect(/Minified React error/);
  const release = await holdRequests(page, "**/assets/site-*.js");
  await page.goto("/", { waitUntil: "domcontentloaded" });
  await page.locator("#name").fill("Mei");
  await page.getByLabel("Interested to Purchase").check();
  await page.locator("#privacyAccepted").check();
  await translate(page);
  release();
  await hydrated(page);
  await expect(page.locator("#name")).toHaveValue("Mei");
  await expect(page.locator("#interest-purchase")).toBeChecked();
  await expect(page.locator("#privacyAccepted")).toBeChecked();
});

test("hydration causes no layout shift", async ({ page }) => {
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        console.error(`layout shift of ${(entry as unknown as { value: number }).value}`);
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/");
  await hydrated(page);
});

test("the session records page and campaign of the first visit", async ({ page, problems }) => {
  problems.expect(/ERR_FAILED/);
  await page.route("**/assets/site-*.js", (route) =>
    route.request().frame().url().includes("utm_source") ? route.abort() : route.continue(),
  );
  const sessionRequest = page.waitForRequest("**/auth/v1/session");
  await page.goto("/?utm_source=news");
  // The visitor follows a link before the scripts load.
  await page.getByRole("link", { name: "See the floor plans" }).click();
  expect((await sessionRequest).postDataJSON()).toMatchObject({
    landing_path: "/",
    utm: { source: "news" },
  });
});
