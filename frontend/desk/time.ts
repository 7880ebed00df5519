import type { Language } from "#shared/i18n/language.ts";

/**
 * Such as `Sun, 1 Mar, 12:05`, with the year if it is another.
 * @param zone by default the device's
 */
export function inWords(
  time: string,
  language: Language,
  zone: string | undefined,
  now = new Date(),
): string {
  const at = new Date(time);
  const year = new Intl.DateTimeFormat("en", { timeZone: zone, year: "numeric" });
  return new Intl.DateTimeFormat(language === "zh" ? "zh-SG" : "en-SG", {
    timeZone: zone,
    weekday: "short",
    day: "numeric",
    month: "short",
    ...(year.format(at) === year.format(now) ? {} : { year: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(at);
}

/** Such as `Sun 29, 11:00`, for a time within a month. */
export function inDayAndHour(time: string, language: Language, zone: string): string {
  return new Intl.DateTimeFormat(language === "zh" ? "zh-SG" : "en-SG", {
    timeZone: zone,
    weekday: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(new Date(time));
}

/**
 * Such as `30 Oct – 29 Nov 2026`, or one day. A year that both ends share is named once.
 * @param before the end, exclusive
 * @returns `undefined` if there is neither start nor end
 */
export function daysBetween(
  from: string | undefined,
  before: string | undefined,
  language: Language,
  zone: string,
): string | undefined {
  const isChinese = language === "zh";
  const format = (time: number, year: "numeric" | undefined) =>
    new Intl.DateTimeFormat(isChinese ? "zh-SG" : "en-SG", {
      timeZone: zone,
      day: "numeric",
      // Short Chinese months are figures, without a word for the year.
      month: isChinese ? "long" : "short",
      year,
    }).format(time);
  const start = from === undefined ? undefined : Date.parse(from);
  const end = before === undefined ? undefined : Date.parse(before) - 1;
  if (start === undefined) {
    return end === undefined ? undefined : `– ${format(end, "numeric")}`;
  }
  const first = format(start, "numeric");
  if (end === undefined) {
    return `${first} –`;
  }
  const last = format(end, "numeric");
  if (first === last) {
    return first;
  }
  if (clockIn(zone, new Date(start)).slice(0, 4) !== clockIn(zone, new Date(end)).slice(0, 4)) {
    return `${first} – ${last}`;
  }
  // The year is the first word of a Chinese date.
  return isChinese
    ? `${first} – ${format(end, undefined)}`
    : `${format(start, undefined)} – ${last}`;
}

/** Such as `Singapore Time`. */
export function zoneName(zone: string, language: Language): string {
  const parts = new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", {
    timeZone: zone,
    timeZoneName: "shortGeneric",
  }).formatToParts();
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? zone;
}

/** The local time of a zone in the format of a `datetime-local` field: `2026-11-30T23:05`. */
export function clockIn(zone: string, at: Date): string {
  // The Swedish date format is ISO 8601.
  return new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  })
    .format(at)
    .replace(" ", "T");
}

/** The instant of a local time in a zone. A skipped hour counts as the previous one. */
export function instantIn(zone: string, clock: string): string {
  const asUtc = Date.parse(`${clock}Z`);
  const offset = (at: number) => Date.parse(`${clockIn(zone, new Date(at))}Z`) - at;
  // The first offset may be from the other side of a clock change.
  const near = asUtc - offset(asUtc);
  return new Date(asUtc - offset(near)).toISOString();
}

export function inHours(hours: number, now = new Date()): string {
  return new Date(now.getTime() + hours * 3_600_000).toISOString();
}

/** An hour in the zone, `days` days from now. */
export function inDays(zone: string, days: number, hour = 10, now = new Date()): string {
  const day = new Date(`${clockIn(zone, now).slice(0, 10)}T00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  day.setUTCHours(hour);
  return instantIn(zone, day.toISOString().slice(0, 16));
}

/** Saturday and Sunday of the next week at 11:00 and 15:00 in the zone, in order of time. */
export function weekendVisits(zone: string, now = new Date()): string[] {
  const visits = [6, 0].flatMap((weekday) =>
    [11, 15].map((hour) => inDays(zone, daysUntil(zone, weekday, now), hour, now)),
  );
  return visits.sort();
}

/** Days until the next such day of the week (0 is Sunday), from 1 to 7. */
export function daysUntil(zone: string, weekday: number, now = new Date()): number {
  const today = new Date(`${clockIn(zone, now).slice(0, 10)}T00:00Z`).getUTCDay();
  return (weekday - today + 7) % 7 || 7;
}

/** Such as `today`, `yesterday` or `4 days ago`. */
export function daysAgo(milliseconds: number, language: Language): string {
  const days = Math.floor(milliseconds / 86_400_000);
  const format = new Intl.RelativeTimeFormat(language === "zh" ? "zh-SG" : "en-SG", {
    numeric: "auto",
  });
  return format.format(-days, "day");
}

/** The age in its largest unit, such as `2h`. */
export function age(time: string, language: Language, now = Date.now()): string {
  const minutes = Math.max(0, Math.floor((now - Date.parse(time)) / 60_000));
  const [count, unit] =
    minutes < 60
      ? [minutes, "minute"]
      : minutes < 1440
        ? [Math.floor(minutes / 60), "hour"]
        : [Math.floor(minutes / 1440), "day"];
  return new Intl.NumberFormat(language === "zh" ? "zh-SG" : "en-SG", {
    style: "unit",
    unit,
    unitDisplay: "narrow",
  }).format(count);
}
