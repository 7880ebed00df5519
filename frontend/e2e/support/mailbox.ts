import { expect } from "@playwright/test";
import { setting } from "./settings.ts";

/** Whom `deploy/notifier/routes.toml` sends every lead to. */
const SALES = "mei@zyongrand.example";

/** An email as maildev's REST interface tells it. */
export interface Mail {
  to: { address: string }[];
  subject: string;
  /** Alertmanager's emails have none. */
  text?: string;
  html: string;
  headers: Record<string, string>;
}

/** The sales team's one email about a lead, once it is there. */
export async function mailAbout(reference: string): Promise<Mail> {
  const isAbout = ({ subject, to }: Mail) =>
    subject.includes(reference) && to.some(({ address }) => address === SALES);
  const found = async () => (await allMails()).filter(isAbout);
  await expect.poll(async () => (await found()).length, { timeout: 30_000 }).toBe(1);
  const [mail] = await found();
  if (mail === undefined) {
    throw new Error(`the mail about ${reference} has vanished`);
  }
  return mail;
}

/** The emails to an address about a lead, the oldest first. */
export async function mailsTo(to: string, reference: string): Promise<Mail[]> {
  return (await allMails()).filter(
    (mail) => mail.subject.includes(reference) && mail.to.some(({ address }) => address === to),
  );
}

export async function mailsWith(text: string): Promise<Mail[]> {
  return (await allMails()).filter((mail) => mail.text?.includes(text) ?? false);
}

async function allMails(): Promise<Mail[]> {
  const answer = await fetch(new URL("/email", setting("MAIL_URL")));
  return (await answer.json()) as Mail[];
}
