import { type Location, useLocation } from "react-router-dom";
import type { FloorPlanId } from "#shared/content/floor-plans.ts";

/** The state of a history entry. Entries that other sites opened have none. */
export interface EntryState {
  /** The entry changes a dialog or another part of the page, so the page does not scroll. */
  inPlace?: true;
  /** A link of this page opened the plan, so Back leads to the page without it. */
  opened?: true;
  /** The plan in whose room the visitor stands, if an eye opened the room in a separate entry. */
  stoodIn?: FloorPlanId;
}

export function entryStateOf(location: Location): EntryState {
  return location.state ?? {};
}

export function useEntryState(): EntryState {
  return entryStateOf(useLocation());
}

/** Options of `navigate` that replace the entry, and keep the scroll position. */
export function inPlace(state: EntryState): { replace: true; state: EntryState } {
  return { replace: true, state: { ...state, inPlace: true } };
}
