import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Bar } from "./bar.tsx";
import { Footer } from "./footer.tsx";
import { useLanguageInAddress } from "./language-toggle.tsx";
import "./shell.css";
import { useMenu } from "./use-menu.ts";
import { useScrollToTarget } from "./use-scroll-to-target.ts";

/** What surrounds every page. */
export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const menu = useMenu();
  useScrollToTarget();
  useLanguageInAddress();
  return (
    <>
      <a className="skip" href="#main" inert={menu.open}>
        {t("bar.skip")}
      </a>
      <Bar menu={menu} />
      <main id="main" tabIndex={-1} inert={menu.open}>
        {children}
      </main>
      <Footer inert={menu.open} />
    </>
  );
}
