import { useSyncExternalStore } from "react";
import { localDay } from "./day.ts";

/** The visitor's own day as `2026-11-20`; null until the page is hydrated. */
export function useToday(): string | null {
  return useSyncExternalStore(
    whenShown,
    () => localDay(new Date()),
    () => null,
  );
}

/** A page left open overnight is looked at again when it is shown again. */
function whenShown(notify: () => void) {
  document.addEventListener("visibilitychange", notify);
  return () => document.removeEventListener("visibilitychange", notify);
}
