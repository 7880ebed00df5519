import { expect } from "@playwright/test";
import { setting } from "./settings.ts";

/** A mail as maildev's REST interface tells it. */
export interface Mail {
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
}

/** The sales team's one mail about a lead, once it is there. */
export async function mailAbout(reference: string): Promise<Mail> {
  const found = async () => (await allMails()).filter((mail) => mail.subject.includes(reference));
  await expect.poll(async () => (await found()).length, { timeout: 30_000 }).toBe(1);
  const [mail] = await found();
  if (mail === undefined) {
    throw new Error(`the mail about ${reference} has vanished`);
  }
  return mail;
}

export async function mailsWith(text: string): Promise<Mail[]> {
  return (await allMails()).filter((mail) => mail.text.includes(text));
}

async function allMails(): Promise<Mail[]> {
  const answer = await fetch(new URL("/email", setting("MAIL_URL")));
  return (await answer.json()) as Mail[];
}
