import { useEffect } from "react";
import { useLanguage } from "#i18n/use-language.ts";
import type { RouteId } from "#routes.ts";
import { applyHead, headOf } from "./head.ts";

export function useHead(route: RouteId): void {
  const language = useLanguage();
  useEffect(() => applyHead(document, headOf(route, language)), [route, language]);
}
