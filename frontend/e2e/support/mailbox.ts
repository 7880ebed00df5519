import { expect } from "@playwright/test";
import { setting } from "./settings.ts";

/** The address in `deploy/notifier/routes.toml` that receives every lead. */
const SALES = "mei@zyongrand.example";

/** An email in maildev's REST interface. */
export interface Email {
  to: { address: string }[];
  subject: string;
  /** Missing in Alertmanager's emails. */
  text?: string;
  html: string;
  headers: Record<string, string>;
}

/** Waits for the only email to sales about a lead. */
export async function salesEmailAbout(reference: string): Promise<Email> {
  const isAbout = ({ subject, to }: Email) =>
    subject.includes(reference) && to.some(({ address }) => address === SALES);
  const found = async () => (await allEmails()).filter(isAbout);
  await expect.poll(async () => (await found()).length, { timeout: 30_000 }).toBe(1);
  const [email] = await found();
  if (email === undefined) {
    throw new Error(`the email about ${reference} is no longer in the mailbox`);
  }
  return email;
}

/** The emails to an address about a lead, oldest first. */
export async function emailsTo(to: string, reference: string): Promise<Email[]> {
  return (await allEmails()).filter(
    (email) => email.subject.includes(reference) && email.to.some(({ address }) => address === to),
  );
}

export async function emailsWith(text: string): Promise<Email[]> {
  return (await allEmails()).filter((email) => email.text?.includes(text) ?? false);
}

/** The emails that this process has fetched, oldest first. */
let fetched: Email[] = [];

async function allEmails(): Promise<Email[]> {
  const known = fetched;
  const answer = await fetch(new URL(`/email?skip=${known.length}`, setting("MAIL_URL")));
  fetched = [...known, ...((await answer.json()) as Email[])];
  return fetched;
}
