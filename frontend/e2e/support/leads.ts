import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "@playwright/test";
import { setting } from "./settings.ts";

/** A lead as `leadctl list --json` prints it, one object a line. */
export interface Lead {
  lead_id: string;
  reference: string;
  name: string;
  mobile: string;
  email: string;
  questions: string;
  plan: string;
  channels: string[];
  visit_times: string[];
  home_preferences: string[];
  interests: string[];
  language: string;
  deliveries: { recipient: string }[];
}

/** Waits until the only lead of an address is stored and one of its emails is delivered. */
export async function deliveredLeadOf(email: string): Promise<Lead> {
  await expect
    .poll(async () => (await leadsOf(email)).map((lead) => lead.deliveries.length > 0), {
      timeout: 30_000,
    })
    .toEqual([true]);
  const [lead] = await leadsOf(email);
  if (lead === undefined) {
    throw new Error("the lead is no longer listed");
  }
  return lead;
}

export async function leadsOf(email: string): Promise<Lead[]> {
  const listed = await leadctl("list", "--limit", "200", "--json");
  const leads = listed
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Lead);
  return leads.filter((lead) => lead.email === email);
}

/** Runs leadctl and returns its output. */
export async function leadctl(...command: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    setting("LEADCTL"),
    ["--config", setting("LEADCTL_CONFIG"), ...command],
    { maxBuffer: 16_000_000 },
  );
  return stdout;
}
