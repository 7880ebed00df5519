import { useLayoutEffect } from "react";
import { useTranslation } from "react-i18next";
import { firstMessagesOf } from "#i18n/create-i18n.ts";
import { useLanguage } from "#i18n/use-language.ts";
import type { RouteId } from "#routes.ts";
import { applyHead, headOf } from "./head.ts";

export function useHead(route: RouteId): void {
  const { i18n } = useTranslation();
  const language = useLanguage();
  // Before anything is painted or read out in another language than it says.
  useLayoutEffect(() => {
    const messages = firstMessagesOf(i18n, language);
    if (messages !== undefined) {
      applyHead(document, headOf(route, language, messages));
    }
  }, [i18n, route, language]);
}
