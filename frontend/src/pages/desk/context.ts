import { createContext, useContext, useState } from "react";
import type { Language } from "#i18n/language.ts";
import { type DeskApi, DeskError } from "./api.ts";
import { deskTexts, type Texts } from "./texts.ts";

interface DeskContext {
  api: DeskApi;
  language: Language;
  texts: Texts;
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

export function contextOf(api: DeskApi, language: Language, signedOut: () => void): DeskContext {
  return { api, language, texts: deskTexts[language], signedOut };
}

/** What an error says to a person. */
function sentence(texts: Texts, error: unknown): string {
  const { code, retryAfterSeconds } = error instanceof DeskError ? error : new DeskError("");
  const { errors } = texts;
  switch (code) {
    case "rate_limited":
      return errors.rate_limited(Math.max(1, retryAfterSeconds));
    case "unreachable":
    case "invalid":
    case "no_such_lead":
    case "invalid_link":
      return errors[code];
    default:
      return errors.unavailable;
  }
}

/** Runs one thing at a time, and keeps what became of it. */
export function useTask() {
  const { texts, signedOut } = useDesk();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  async function run<Result>(task: () => Promise<Result>): Promise<Result | null> {
    setBusy(true);
    setFailure(null);
    try {
      return await task();
    } catch (error) {
      if (error instanceof DeskError && error.code === "signed_out") {
        signedOut();
      } else {
        setFailure(sentence(texts, error));
      }
      return null;
    } finally {
      setBusy(false);
    }
  }

  return { busy, failure, run };
}
