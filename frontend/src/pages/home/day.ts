import type { Language } from "#i18n/language.ts";

/** Written out: `Intl` takes 20 ms of a phone before its first paint, and its British September is "Sept". */
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** The day in the zone of the date's own clock, as `2026-11-20`. */
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
