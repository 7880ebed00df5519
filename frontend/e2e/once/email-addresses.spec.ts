import { expect } from "@playwright/test";
import cases from "../../../services/lead-intake/tests/registration-cases.json" with {
  type: "json",
};
import { deliveredLeadOf } from "../support/leads.ts";
import { mailAbout } from "../support/mailbox.ts";
import { entry } from "../support/registration-page.ts";
import { test } from "../support/site.ts";

const unique = () => crypto.randomUUID().replaceAll("-", "");

const odd = [
  // No email library's idea of an address: emailed, but without Reply-To.
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

for (const { title, email, answerable } of odd) {
  test(`an address with ${title} is stored and mailed`, async ({ registration }) => {
    const lead = entry({ email: email() });
    await registration.fill(lead);
    await registration.submit();
    const reference = await registration.expectAccepted();
    expect(await deliveredLeadOf(lead.email)).toMatchObject({ reference, email: lead.email });
    const mail = await mailAbout(reference);
    expect(mail.text).toContain(lead.email);
    if (answerable !== null) {
      expect(mail.headers["reply-to"]?.includes(lead.email) ?? false).toBe(answerable);
    }
  });
}

test("the browser's own verdict on addresses agrees with the rules", async ({ page }) => {
  // Browsers rewrite international domains and drop line breaks before judging: only plain text compares.
  const plain = cases.flatMap(({ set, errors }) => {
    const { email } = set as { email?: string };
    const codes = (errors as Record<string, string[]>)["email"] ?? [];
    return email !== undefined && /^[\x20-\x7e]+$/.test(email)
      ? [{ email, valid: !codes.includes("email_invalid") }]
      : [];
  });
  expect(plain.length).toBeGreaterThan(30);
  await page.goto("/");
  const verdicts = await page.evaluate(
    (emails) =>
      emails.map((email) => {
        const input = document.createElement("input");
        input.type = "email";
        input.value = email;
        // The rules ask for a dot in the domain as well.
        return { email, valid: input.validity.valid && /@.*\./.test(email) };
      }),
    plain.map(({ email }) => email),
  );
  expect(verdicts).toEqual(plain);
});
