import { expect } from "@playwright/test";
import cases from "../../services/lead-intake/tests/registration-cases.json" with { type: "json" };
import { deliveredLeadOf } from "./support/leads.ts";
import { salesEmailAbout } from "./support/mailbox.ts";
import { entry } from "./support/registration-page.ts";
import { test } from "./support/site.ts";

const unique = () => crypto.randomUUID().replaceAll("-", "");

const odd = [
  // Email libraries reject this address, so the sales email has no Reply-To.
  { title: "two dots in a row", email: () => `a..${unique()}@b.co`, answerable: false },
  {
    title: "a local part of 71 characters",
    email: () => unique().padEnd(71, "l").concat("@example.com"),
    answerable: null,
  },
  {
    title: "an apostrophe and a plus",
    email: () => `o'brien+${unique()}@example.com`,
    answerable: true,
  },
];

test("leads with unusual addresses are stored and emailed", async ({ registration }) => {
  let previous = "";
  for (const { title, email, answerable } of odd) {
    await test.step(title, async () => {
      const lead = entry({ email: email() });
      await registration.fill(lead);
      await registration.submit();
      await expect(registration.reference).not.toHaveText(previous);
      const reference = await registration.expectAccepted();
      previous = reference;
      expect(await deliveredLeadOf(lead.email)).toMatchObject({ reference, email: lead.email });
      const salesEmail = await salesEmailAbout(reference);
      expect(salesEmail.text).toContain(lead.email);
      if (answerable !== null) {
        expect(salesEmail.headers["reply-to"]?.includes(lead.email) ?? false).toBe(answerable);
      }
    });
  }
});

test("email inputs of the browser agree with the form rules", async ({ page }) => {
  // Only ASCII, because browsers rewrite international domains and drop line breaks before validation.
  const plain = cases.flatMap(({ set, errors }) => {
    const { email } = set as { email?: string };
    const codes = (errors as Record<string, string[]>)["email"] ?? [];
    return email !== undefined && /^[\x20-\x7e]+$/.test(email)
      ? [{ email, valid: !codes.includes("email_invalid") }]
      : [];
  });
  expect(plain.length).toBeGreaterThan(30);
  const results = await page.evaluate(
    (emails) =>
      emails.map((email) => {
        const input = document.createElement("input");
        input.type = "email";
        input.value = email;
        // The rules also require a dot in the domain.
        return { email, valid: input.validity.valid && /@.*\./.test(email) };
      }),
    plain.map(({ email }) => email),
  );
  expect(results).toEqual(plain);
});
