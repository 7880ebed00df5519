import type { Language } from "#i18n/language.ts";

/** Such as `Sun, 1 Mar, 12:05`, by the clock of the device; with the year where it is another. */
export function inWords(time: string, language: Language, now = new Date()): string {
  const at = new Date(time);
  return new Intl.DateTimeFormat(language === "zh" ? "zh-SG" : "en-SG", {
    weekday: "short",
    day: "numeric",
    month: "short",
    ...(at.getFullYear() === now.getFullYear() ? {} : { year: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(at);
}

export function inHours(hours: number, now = new Date()): string {
  return new Date(now.getTime() + hours * 3_600_000).toISOString();
}

export function tomorrowAtTen(now = new Date()): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 10).toISOString();
}
