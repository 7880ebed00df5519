import { createContext, useContext, useEffect, useEffectEvent, useRef, useState } from "react";
import type { Language } from "#i18n/language.ts";
import { type DeskApi, DeskError, hasCode } from "./api.ts";
import type { Texts } from "./texts.ts";
import { inWords } from "./time.ts";

interface DeskContext {
  api: DeskApi;
  language: Language;
  texts: Texts;
  /** The sales team's, once somebody is signed in. */
  timeZone: string | undefined;
  /** For what failed because nobody is signed in. */
  signedOut: () => void;
}

export const Context = createContext<DeskContext | null>(null);

export function useDesk(): DeskContext {
  const context = useContext(Context);
  if (context === null) {
    throw new Error("used outside the desk");
  }
  return context;
}

/** Writes a time as people say it. */
export function useWords(): (time: string) => string {
  const { language, timeZone } = useDesk();
  return (time) => inWords(time, language, timeZone);
}

/** From here on a wait is told in minutes. */
const LONG_WAIT_SECONDS = 90;

/** @param isSaving whether something typed is at stake, and perhaps saved although no answer came */
function sentence({ errors }: Texts, error: unknown, isSaving: boolean): string {
  const { code, retryAfterSeconds, by } = error instanceof DeskError ? error : new DeskError("");
  switch (code) {
    case "rate_limited":
      return retryAfterSeconds > LONG_WAIT_SECONDS
        ? errors.minutes(Math.ceil(retryAfterSeconds / 60))
        : errors.seconds(Math.max(1, retryAfterSeconds));
    case "changed_meanwhile":
      return errors.changed_meanwhile(by);
    case "invalid":
    case "forbidden":
    case "no_such_lead":
    case "invalid_link":
      return errors[code];
    case "unreachable":
      return isSaving ? errors.not_saved : errors.unreachable;
    default:
      return isSaving ? errors.not_saved : errors.unavailable;
  }
}

/** Runs tasks. Of several at once, the one that was begun last says whether it failed. */
export function useTask({ isSaving = false } = {}) {
  const { texts, signedOut } = useDesk();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const latest = useRef(0);

  async function run<Result>(task: () => Promise<Result>): Promise<Result | null> {
    latest.current += 1;
    const number = latest.current;
    setBusy(true);
    setFailure(null);
    try {
      return await task();
    } catch (error) {
      if (hasCode(error, "signed_out")) {
        signedOut();
      } else if (number === latest.current) {
        setFailure(sentence(texts, error, isSaving));
      }
      return null;
    } finally {
      if (number === latest.current) {
        setBusy(false);
      }
    }
  }

  return { busy, failure, run };
}

/** Does something whenever somebody comes back to this tab. */
export function useOnReturn(callback: () => void): void {
  const follow = useEffectEvent(() => {
    if (document.visibilityState === "visible") {
      callback();
    }
  });
  useEffect(() => {
    const listener = () => follow();
    document.addEventListener("visibilitychange", listener);
    return () => document.removeEventListener("visibilitychange", listener);
  }, []);
}
