import type { i18n } from "i18next";
import { createContext, type ReactNode, use, useCallback, useSyncExternalStore } from "react";

const I18nContext = createContext<i18n | null>(null);

export function I18nProvider({ i18n, children }: { i18n: i18n; children: ReactNode }) {
  return <I18nContext value={i18n}>{children}</I18nContext>;
}

/** The texts of the provider. The component renders again when their language changes. */
export function useTranslation(): Pick<i18n, "t"> & { i18n: i18n } {
  const instance = use(I18nContext);
  if (instance === null) {
    throw new Error("texts need an I18nProvider");
  }
  const subscribe = useCallback(
    (notify: () => void) => {
      instance.on("languageChanged", notify);
      return () => instance.off("languageChanged", notify);
    },
    [instance],
  );
  const language = () => instance.language;
  useSyncExternalStore(subscribe, language, language);
  return { t: instance.t, i18n: instance };
}
