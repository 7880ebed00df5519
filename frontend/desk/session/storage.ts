import { safeStorage } from "#shared/api/key-value-store.ts";

/** Kept across reloads and changes of language until the tab is closed. */
const tab = safeStorage(() => window.sessionStorage);

function item(name: string) {
  return {
    read: () => tab.getItem(name),
    keep: (text: string) => tab.setItem(name, text),
    forget: () => tab.removeItem(name),
  };
}

/** The key of the last opened link, until a login. */
export const linkKey = item("desk.key");

/** An unsaved note about a lead, and its panel. */
export const draftOf = (lead: string, panel: string) => item(`desk.${panel}.${lead}`);

/** Time in which a requested login link must be opened. */
const LOGIN_REQUEST_MS = 30 * 60_000;

const loginRequestName = "desk.login-request";

/** Kept after the tab is closed, because mail programs open links in another tab. */
const device = safeStorage(() => window.localStorage);

/**
 * The person whose login link this browser requested. Such a link logs in without the button, which other links have
 * because email scanners open links.
 */
export const loginRequest = {
  keep: (person: string) => device.setItem(loginRequestName, `${Date.now()} ${person}`),
  isFor(person: string): boolean {
    const [, at, name] = /^(\d+) (.*)$/.exec(device.getItem(loginRequestName) ?? "") ?? [];
    return name === person && Date.now() - Number(at) < LOGIN_REQUEST_MS;
  },
  forget: () => device.removeItem(loginRequestName),
};

/** A link that can request a login email for its person. */
export interface LoginLink {
  key: string;
  person: string;
}

const lastLinkName = "desk.last-link";

/**
 * The last link of this browser's person, which requests a login email after the session has ended. Only a link that
 * cannot log in any more is kept, because others may use this browser.
 */
export const lastLink = {
  keep: ({ key, person }: LoginLink) => device.setItem(lastLinkName, `${key} ${person}`),
  read(): LoginLink | null {
    const [, key, person] = /^(\S+) (.+)$/.exec(device.getItem(lastLinkName) ?? "") ?? [];
    return key && person ? { key, person } : null;
  },
  forget: () => device.removeItem(lastLinkName),
};

const browser = item("desk.browser");

/** Identifies this browser to a login link, which may repeat the call after a lost response. */
export const browserId = {
  read(): string {
    const id = browser.read() ?? randomHex();
    browser.keep(id);
    return id;
  },
  forget: browser.forget,
};

/** A UUID without hyphens. `crypto.randomUUID` is missing on plain HTTP. */
export function randomHex(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
