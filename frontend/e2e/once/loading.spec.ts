import { expect, type Page } from "@playwright/test";
import { hydrated } from "../support/hydrated.ts";
import { test } from "../support/site.ts";

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

for (const name of ["entry-client", "libraries", "home-page", "site"]) {
  test(`the plain page works without the chunk ${name}`, async ({ page, problems }) => {
    problems.expect(/404/, /Failed to fetch dynamically imported module/);
    // Chromium's document for a picture has inline styles.
    problems.expect(/Applying inline style/);
    const chunk = new RegExp(`/assets/${name}-[^/]+\\.js$`);
    const requests = await removeChunk(page, chunk);
    await page.goto("/");
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
  });
}

test("a missing chunk is requested again", async ({ page, problems }) => {
  problems.expect(/404/, /Failed to fetch dynamically imported module/);
  await page.route(/\/assets\/site-[^/]+\.js$/, (route) => route.fulfill({ status: 404 }), {
    times: 1,
  });
  await page.goto("/");
  await hydrated(page);
});

for (const [what, address, chunk, pressed] of [
  ["picture", "/", /\/assets\/home-page-[^/]+\.js$/, ".large-picture"],
  ["plan", "/floor-plans", /\/assets\/floor-plans-page-[^/]+\.js$/, ".plan-link"],
  ["map", "/", /\/assets\/home-page-[^/]+\.js$/, ".map-switch"],
] as const) {
  test(`a ${what} pressed before hydration opens after it`, async ({ page }) => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const documents: string[] = [];
    page.on(
      "request",
      (request) =>
        request.frame() === page.mainFrame() &&
        request.isNavigationRequest() &&
        documents.push(request.url()),
    );
    await page.route(chunk, async (route) => {
      await released;
      await route.continue();
    });
    await page.route("https://www.openstreetmap.org/**", (route) => route.fulfill({ body: "map" }));
    await page.goto(address);
    await page.locator(pressed).first().click();
    release();
    await expect(page.getByRole("dialog").or(page.locator(".map-frame"))).toBeVisible();
    expect(documents).toHaveLength(1);
  });
}

test("a link to a page whose code is missing loads its document", async ({ page, problems }) => {
  problems.expect(/404/, /Failed to fetch dynamically imported module/);
  await page.goto("/");
  await hydrated(page);
  const requests = await removeChunk(page, /\/assets\/floor-plans-page-[^/]+\.js$/);
  await page.getByRole("link", { name: "See the floor plans" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Floor plans");
  expect(requests.filter((path) => path.includes("floor-plans-page")).length).toBeLessThanOrEqual(
    3,
  );
});

test("the language toggle works without another page's chunk", async ({ page, problems }) => {
  problems.expect(/404/);
  await removeChunk(page, /\/assets\/(floor-plans-page|plan-dialog|viewer)-[^/]+\.js$/);
  await page.goto("/");
  await hydrated(page);
  await page.getByRole("banner").getByRole("button", { name: "中文" }).click();
  await expect(page.locator("#contact-heading")).toHaveText("立即登记意向");
});

test("the language toggle follows its link if its texts are missing", async ({
  page,
  problems,
}) => {
  problems.expect(/404/);
  await page.goto("/?utm_source=news");
  await hydrated(page);
  await removeChunk(page, /\/assets\/site-[^/]+\.js$/);
  await page.getByRole("banner").getByRole("button", { name: "中文" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-Hans");
  expect(new URL(page.url()).search).toBe("?utm_source=news&lang=zh");
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

test("a page translated before hydration keeps typed text", async ({ page, problems }) => {
  problems.expect(/Minified React error/);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/assets/entry-client-*.js", async (route) => {
    await released;
    await route.continue();
  });
  await page.goto("/", { waitUntil: "commit" });
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

test("reports an error in an event handler", async ({ page, problems }) => {
  problems.expect(/broken on purpose/);
  await page.goto("/");
  await hydrated(page);
  const report = page.waitForRequest("**/functions/v1/browser-error");
  await page.evaluate(() => {
    document.body.addEventListener("click", () => {
      throw new TypeError("broken on purpose");
    });
    document.body.click();
  });
  expect((await report).postDataJSON()).toMatchObject({ kind: "uncaught", name: "TypeError" });
});

test("an error in one section leaves the form usable", async ({ page, problems }) => {
  problems.expect(/broken on purpose/, /Minified React error/);
  await page.addInitScript(() => {
    Date.prototype.getFullYear = () => {
      throw new Error("broken on purpose");
    };
  });
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Unexpected Application Error!" })).toBeVisible();
  await page.locator("#name").fill("Mei");
  await expect(page.locator("#name")).toHaveValue("Mei");
});

test("the session records page and campaign of the first visit", async ({ page, problems }) => {
  problems.expect(/ERR_FAILED/);
  await page.route("**/assets/entry-client-*.js", (route) => route.abort(), { times: 1 });
  const sessionRequest = page.waitForRequest("**/auth/v1/session");
  await page.goto("/?utm_source=news");
  // The visitor follows a link before the scripts load.
  await page.getByRole("link", { name: "See the floor plans" }).click();
  expect((await sessionRequest).postDataJSON()).toMatchObject({
    landing_path: "/",
    utm: { source: "news" },
  });
});
