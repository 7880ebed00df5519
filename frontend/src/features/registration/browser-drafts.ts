import { browserClock } from "#api/clock.ts";
import { safeStorage } from "#api/key-value-store.ts";
import { type DraftStore, draftStore } from "./draft.ts";

/** Drafts of this tab: they end with it. */
export function browserDrafts(): DraftStore {
  return draftStore(
    safeStorage(() => window.sessionStorage),
    () => browserClock.now(),
  );
}
