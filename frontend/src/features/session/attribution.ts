import { wellFormed } from "#api/well-formed.ts";
import type { Landing } from "./landing.ts";

/** Where a visitor first came from, as the API takes it; absent fields are unknown. */
export interface Attribution {
  landing_path?: string;
  referrer_host?: string;
  utm?: Partial<Record<UtmField, string>>;
}

const utmFields = ["source", "medium", "campaign", "term", "content"] as const;
type UtmField = (typeof utmFields)[number];

const MAX_LENGTH = 200;

export function attributionOf(visit: Landing): Attribution {
  const page = new URL(visit.href);
  const attribution: Attribution = { landing_path: capped(page.pathname) };
  const from = parsed(visit.referrer);
  if (from !== null && from.host !== "" && from.host !== page.host) {
    attribution.referrer_host = capped(from.host);
  }
  const utm: Attribution["utm"] = {};
  for (const field of utmFields) {
    const value = page.searchParams.get(`utm_${field}`);
    if (value) {
      utm[field] = capped(value);
    }
  }
  if (Object.keys(utm).length > 0) {
    attribution.utm = utm;
  }
  return attribution;
}

/** `URL.canParse` is missing in browsers that people still have. */
function parsed(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

function capped(text: string): string {
  return wellFormed(text.slice(0, MAX_LENGTH));
}
