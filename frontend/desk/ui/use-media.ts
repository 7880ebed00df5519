import { useCallback, useState, useSyncExternalStore } from "react";

/** Whether a media query applies to the window. */
export function useMedia(query: string): boolean {
  const [media] = useState(() => window.matchMedia(query));
  const subscribe = useCallback(
    (onChange: () => void) => {
      media.addEventListener("change", onChange);
      return () => media.removeEventListener("change", onChange);
    },
    [media],
  );
  return useSyncExternalStore(subscribe, () => media.matches);
}
