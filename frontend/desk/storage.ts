import { safeStorage } from "#api/key-value-store.ts";

/** Survives a reload and a change of language, and ends with the tab. */
const tab = safeStorage(() => window.sessionStorage);

function item(name: string) {
  return {
    read: () => tab.getItem(name),
    keep: (text: string) => tab.setItem(name, text),
    forget: () => tab.removeItem(name),
  };
}

/** The key of the link that was opened last, until somebody is logged in. */
export const linkKey = item("desk.key");

/** A half-written note about a lead, in the panel where it was begun. */
export const draftOf = (lead: string, panel: string) => item(`desk.${panel}.${lead}`);

/** How long an email may take, and be left unread. */
const LOGIN_REQUEST_MS = 30 * 60_000;

const loginRequestName = "desk.login-request";

/** Survives the tab: mail programs open links in another one. */
const device = safeStorage(() => window.localStorage);

/**
 * Whose login link was emailed on request of this browser. Such a link logs in without a button, which is there because
 * scanners of emails open links as well.
 */
export const loginRequest = {
  keep: (person: string) => device.setItem(loginRequestName, `${Date.now()} ${person}`),
  isFor(person: string): boolean {
    const [, at, name] = /^(\d+) (.*)$/.exec(device.getItem(loginRequestName) ?? "") ?? [];
    return name === person && Date.now() - Number(at) < LOGIN_REQUEST_MS;
  },
  forget: () => device.removeItem(loginRequestName),
};

const browser = item("desk.browser");

/** Identifies this browser to a link that logs in, so that a lost answer can be requested again. */
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
