import { wellFormed } from "#api/post-json.ts";

/** Where a visitor first came from, as the API takes it; absent fields are unknown. */
export interface Attribution {
  landing_path?: string;
  referrer_host?: string;
  utm?: Partial<Record<UtmField, string>>;
}

const utmFields = ["source", "medium", "campaign", "term", "content"] as const;
type UtmField = (typeof utmFields)[number];

const MAX_LENGTH = 200;

/**
 * How a visitor came to the site. A page of ours as the referrer was the first page: the visitor left it before its
 * scripts arrived.
 * @param referrer `document.referrer`, empty without one
 */
export function attributionOf({ href, referrer }: { href: string; referrer: string }): Attribution {
  const here = new URL(href);
  const from = parsed(referrer);
  const page = from?.origin === here.origin ? from : here;
  const attribution: Attribution = { landing_path: capped(page.pathname) };
  if (from !== null && from.host !== "" && from.host !== here.host) {
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
