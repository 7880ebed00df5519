import { v4 as uuid } from "uuid";
import { safeStorage } from "#api/key-value-store.ts";

/** Survives a reload and a change of language, and ends with the tab. */
const tab = safeStorage(() => window.sessionStorage);

const KEY = "desk.key";
const BROWSER = "desk.browser";

/** The key of the link that was opened last, until somebody is signed in. */
export const linkKey = {
  read: () => tab.getItem(KEY),
  keep: (key: string) => tab.setItem(KEY, key),
  forget: () => tab.removeItem(KEY),
};

/** Names this browser where a link signs in, so that it may ask again after a lost answer; anew after signing out. */
export const browserId = {
  read(): string {
    const id = tab.getItem(BROWSER) ?? uuid();
    tab.setItem(BROWSER, id);
    return id;
  },
  forget: () => tab.removeItem(BROWSER),
};

/** A half-written note of a lead, by the panel that it was begun in. */
export const drafts = {
  read: (lead: string, panel: string) => tab.getItem(draftName(lead, panel)) ?? "",
  keep: (lead: string, panel: string, text: string) => tab.setItem(draftName(lead, panel), text),
  forget: (lead: string, panel: string) => tab.removeItem(draftName(lead, panel)),
};

function draftName(lead: string, panel: string): string {
  return `desk.${panel}.${lead}`;
}
