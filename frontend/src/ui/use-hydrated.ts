import { useSyncExternalStore } from "react";

const never = () => () => {};

/** False in the prerendered document and while it is hydrated, true from then on. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
