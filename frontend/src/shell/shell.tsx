import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Bar } from "./bar.tsx";
import { Footer } from "./footer.tsx";
import { useScrollToTarget } from "./use-scroll-to-target.ts";

/** What surrounds every page. */
export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  useScrollToTarget();
  return (
    <>
      <a className="skip" href="#main">
        {t("bar.skip")}
      </a>
      <Bar />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Footer />
    </>
  );
}
