import { expect } from "@playwright/test";
import consent from "#site/content/consent.json" with { type: "json" };
import { hydrated } from "./support/hydrated.ts";
import { deliveredLeadOf } from "./support/leads.ts";
import { emailsWith, salesEmailAbout } from "./support/mailbox.ts";
import { entry, RegistrationPage } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

test("a lead reaches the mailbox and the CRM under one reference", { tag: "@zh" }, async ({
  registration,
  language,
}) => {
  const lead = entry();
  await registration.fill(lead);
  await registration.submit();
  const reference = await registration.expectAccepted();
  await registration.expectEmpty();

  const sent = registration.sent.at(-1);
  expect(sent?.headers()).toMatchObject({
    "content-language": language,
    "privacy-policy-version": expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
  });
  expect(sent?.postDataJSON()).toEqual(lead);

  const email = await salesEmailAbout(reference);
  expect(email.subject).toContain(lead.name);
  for (const words of [lead.name, lead.mobile, lead.email, lead.questions, reference]) {
    expect(email.text).toContain(words);
  }
  expect(email.headers["reply-to"]).toContain(lead.email);
  expect(email.headers["message-id"]).toMatch(/^<[^<>\s]+@[^<>\s]+>$/);

  const stored = await deliveredLeadOf(lead.email);
  expect(stored).toMatchObject({ ...lead, reference, language });
  expect(await emailsWith(lead.email)).toHaveLength(1);
});

test("acceptance shows only thanks and next steps, also after an invalid submit", {
  tag: "@zh",
}, async ({ registration, language, texts }) => {
  const restOfPage = () =>
    registration.page.locator("main").evaluate((main) => {
      const rest = main.cloneNode(true) as HTMLElement;
      // The form is folded below the thanks.
      for (const changed of rest.querySelectorAll(".toast, .contact-form")) {
        changed.remove();
      }
      return rest.textContent;
    });
  const before = await restOfPage();
  await registration.fill(entry());
  await registration.submit();
  const reference = await registration.expectAccepted();
  await expect.poll(restOfPage).toBe(before);
  const { accepted } = texts.registration;
  const thanks = [
    accepted.heading,
    `${accepted.reference} ${reference}`,
    accepted.copy.label,
    ...Object.values(accepted.steps),
    consent.question[language],
    accepted.plans,
    accepted.share,
  ];
  await expect(registration.note).toHaveText(thanks.join(" "), { useInnerText: true });
  await registration.page.locator(".toast .dismiss").click();
  await expect(registration.toast).toHaveCount(0);
  await expect(registration.reference).toBeVisible();
  await registration.unfold();
  await registration.field("name").fill("M");
  await expect(registration.reference).toBeVisible();
  await registration.submit();
  await expect(registration.error("mobile")).toBeVisible();
  await expect(registration.reference).toBeVisible();
});

test("the toast is in the window, and stays while hovered or focused", async ({
  page,
  visit,
  texts,
}) => {
  await page.clock.install();
  await visit("/");
  await hydrated(page);
  const registration = new RegistrationPage(page, texts);
  await registration.submit();
  await page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));
  await expect(registration.toast).toBeInViewport({ ratio: 1 });
  await registration.toast.hover();
  await page.clock.fastForward(20_000);
  await expect(registration.toast).toBeVisible();
  await page.mouse.move(5, 5);
  await registration.toast.getByRole("button").focus();
  await page.clock.fastForward(20_000);
  await expect(registration.toast).toBeVisible();
  await registration.toast.getByRole("button").blur();
  await page.clock.fastForward(20_000);
  await expect(registration.toast).toHaveCount(0);
});
