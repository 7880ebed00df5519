import { useSyncExternalStore } from "react";
import type { Language } from "#shared/i18n/language.ts";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { unbroken } from "#shared/ui/unbroken.tsx";
import { anchors } from "#site/routes.ts";
import { PageLink } from "#site/shell/page-link.tsx";
import "./latest-update.css";

/** Written out, because the British September of `Intl` is "Sept". */
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

export function LatestUpdate() {
  const { t } = useTranslation();
  const language = useLanguage();
  const day = useToday();
  return (
    <section id={anchors.update} className="update">
      <div className="update-step spread">
        <h2 className="label">{t("update.label")}</h2>
        <p className="update-date unbroken">
          <time dateTime={day} suppressHydrationWarning>
            {dayInWords(day, language)}
          </time>
        </p>
      </div>
      <div className="update-body page-grid">
        <h3>{t("update.heading")}</h3>
        <p className="quiet">
          {unbroken(t("update.before"))}
          <PageLink to={anchors.callToAction}>{unbroken(t("update.link"))}</PageLink>
          {unbroken(t("update.after"))}
        </p>
      </div>
    </section>
  );
}

/** The visitor's day as `2026-11-20`. The document has the day on which it was built. */
export function useToday(): string {
  return useSyncExternalStore(
    subscribe,
    () => localDay(new Date()),
    () => import.meta.env["BUILD_DAY"],
  );
}

/** Notifies at midnight, and when the page is shown again, because timers stop while a computer sleeps. */
function subscribe(notify: () => void) {
  let timer = setTimeout(notifyAndWait, untilMidnight(new Date()));

  function notifyAndWait(): void {
    clearTimeout(timer);
    timer = setTimeout(notifyAndWait, untilMidnight(new Date()));
    notify();
  }

  document.addEventListener("visibilitychange", notifyAndWait);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", notifyAndWait);
  };
}

/** Milliseconds until the visitor's next day. */
function untilMidnight(now: Date): number {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  return midnight.getTime() - now.getTime();
}

export function localDay(now: Date): string {
  const twoDigits = (number: number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${twoDigits(now.getMonth() + 1)}-${twoDigits(now.getDate())}`;
}

/** A day such as `2026-11-20` in words: `20 Nov 2026`, `2026年11月20日`. */
export function dayInWords(day: string, language: Language): string {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  return language === "zh"
    ? `${year}年${month}月${date}日`
    : `${date} ${MONTHS[month - 1]} ${year}`;
}
