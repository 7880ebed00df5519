import { language } from "#desk/language.ts";
import { durationOf } from "./figures.ts";
import { reportTexts } from "./texts.ts";

export const words = reportTexts[language];

const locale = language === "zh" ? "zh-SG" : "en-SG";

/** A number such as `1,119`. */
export function figure(count: number): string {
  return count.toLocaleString(locale);
}

/** A duration such as `1 h 30 min`; a dash if there is none. */
export function durationText(seconds: number | null): string {
  return seconds === null ? "–" : words.duration(durationOf(seconds));
}

/** A calendar day, such as `29 Nov`. */
export function dayText(day: string, style: "short" | "long"): string {
  return new Intl.DateTimeFormat(locale, {
    timeZone: "UTC",
    day: "numeric",
    month: "short",
    ...(style === "long" && { weekday: "short" }),
  }).format(new Date(`${day}T00:00Z`));
}

/** Sentences of a paragraph. */
export function paragraph(...sentences: (string | false)[]): string {
  return sentences.filter(Boolean).join(words.space);
}
