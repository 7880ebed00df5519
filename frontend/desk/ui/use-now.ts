import { useEffect, useState } from "react";

/** How often ages are shown anew, in milliseconds. */
const INTERVAL_MS = 30_000;

/** The current time in milliseconds, which advances while the view is shown. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
