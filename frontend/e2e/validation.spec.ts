import { expect, type Page } from "@playwright/test";
import { holdRequests, hydrated } from "./support/hydrated.ts";
import { entry } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

test("an empty form shows every error and focuses the first field", { tag: "@zh" }, async ({
  registration,
  texts,
}) => {
  const { page } = registration;
  await registration.submit();
  const { error } = texts.registration;
  await expect(registration.toast).toContainText(texts.toast.invalid);
  await expect(registration.error("interests")).toHaveText(error.interests_required);
  await expect(registration.error("name")).toHaveText(error.name_required);
  await expect(registration.error("mobile")).toHaveText(error.mobile_too_short);
  await expect(registration.error("email")).toHaveText(error.email_invalid);
  await expect(registration.error("questions")).toHaveText("");
  await expect(registration.error("antiSpam")).toHaveText(error.anti_spam_wrong);
  await expect(registration.error("privacyAccepted")).toHaveText(error.privacy_required);

  const first = page.locator("#interest-brochure");
  await expect(first).toBeFocused();
  await expect(first).toHaveAccessibleDescription(error.interests_required);
  await expect(registration.field("name")).toHaveAttribute("aria-invalid", "true");
  await expect(page.locator("#interests-label")).toBeInViewport();
  expect(registration.sent).toHaveLength(0);
  await expectErrorsUnderFields(page);

  await test.step("bar and toast do not cover the first invalid label on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.evaluate(() => window.scrollTo(0, 0));
    await registration.submit();
    await expect(page.locator("#interests-label")).toBeInViewport();
    const toast = await registration.toast.boundingBox();
    const bar = await page.getByRole("banner").boundingBox();
    const label = await page.locator("#interests-label").boundingBox();
    expect(label?.y).toBeGreaterThanOrEqual(bar?.height ?? Number.NaN);
    expect((label?.y ?? Number.NaN) + (label?.height ?? 0)).toBeLessThanOrEqual(toast?.y ?? 0);
    await expectErrorsUnderFields(page);
  });
});

/** Each error is below its last input and above the next field, and no wider than its field. */
async function expectErrorsUnderFields(page: Page): Promise<void> {
  const misplaced = await page.locator("form .field-error").evaluateAll((errors) =>
    errors
      .filter((error) => {
        const field = error.parentElement as HTMLElement;
        const input = [...field.querySelectorAll("input, textarea")].at(-1) as Element;
        const line = error.getBoundingClientRect();
        const box = field.getBoundingClientRect();
        return !(
          line.top >= input.getBoundingClientRect().bottom &&
          line.bottom <= box.bottom &&
          line.left >= box.left &&
          line.right <= box.right
        );
      })
      .map(({ id }) => id),
  );
  expect(misplaced).toEqual([]);
}

test("values beyond the limits of the specification show their errors and are kept", {
  tag: "@zh",
}, async ({ registration, texts }) => {
  const limits = { name: "100", mobile: "20", email: "255", questions: "1000", antiSpam: "10" };
  for (const [name, limit] of Object.entries(limits)) {
    await expect(registration.page.locator(`#${name}`)).toHaveAttribute("maxlength", limit);
  }
  const values = entry({
    name: "n".repeat(101),
    mobile: "1".repeat(20),
    email: `${"l".repeat(250)}@example.com`,
    questions: "q".repeat(1001),
  });
  // `maxlength` prevents a visitor from typing these values, but not a script or an old browser.
  await registration.page
    .locator("form :is(input, textarea)[maxlength]")
    .evaluateAll((inputs) => inputs.forEach((input) => void input.removeAttribute("maxlength")));
  await registration.fill(values);
  await registration.submit();
  for (const field of ["name", "mobile", "email", "questions"] as const) {
    const error = texts.registration.error[`${field}_too_long`];
    await expect(registration.error(field)).toHaveText(error);
  }
  await registration.expectValues(values);
  expect(registration.sent).toHaveLength(0);
});

test("hydration keeps text typed before it", async ({ page, language, texts }) => {
  const release = await holdRequests(page, "**/assets/*.js");
  await page.goto(`/?lang=${language}`, { waitUntil: "commit" });
  await page.locator("#name").fill("Mei");
  await page.locator("#interest-purchase").check();
  release();
  await hydrated(page);
  await page.locator("form button[type=submit]").click();
  await expect(page.locator("#mobile-error")).toHaveText(texts.registration.error.mobile_too_short);
  await expect(page.locator("#name-error")).toHaveText("");
  await expect(page.locator("#interests-error")).toHaveText("");
  await expect(page.locator("#name")).toHaveValue("Mei");
  await expect(page.locator("#interest-purchase")).toBeChecked();
});

test("accepts invisible and full-width characters", async ({ registration }) => {
  await registration.fill(
    entry({
      name: "Quek\tAi Ling",
      mobile: "\u202a+65 9123 4567\u202c",
      email: "chen＠example．com",
    }),
  );
  await registration.field("antiSpam").fill("７ ");
  await registration.submit();
  await registration.expectAccepted();
  expect(registration.sent.at(-1)?.postDataJSON()).toMatchObject({
    name: "Quek Ai Ling",
    mobile: "+65 9123 4567",
    email: "chen@example.com",
  });
});
