import { wellFormed } from "#api/post-json.ts";

/** Where a visitor first came from, as the API takes it; absent fields are unknown. */
export type Attribution = Partial<ReturnType<typeof attributionOf>>;

const utmFields = ["source", "medium", "campaign", "term", "content"];

const MAX_LENGTH = 200;

/**
 * How a visitor came to the site. A page of ours as the referrer was the first page: the visitor left it before its
 * scripts arrived.
 * @param referrer `document.referrer`, empty without one
 */
export function attributionOf({ href, referrer }: { href: string; referrer: string }) {
  const here = new URL(href);
  const from = parsed(referrer);
  const page = from?.origin === here.origin ? from : here;
  const utm = utmFields.flatMap((field) => {
    const value = page.searchParams.get(`utm_${field}`);
    return value ? [[field, capped(value)]] : [];
  });
  return {
    landing_path: capped(page.pathname),
    ...(from?.host && from.host !== here.host && { referrer_host: capped(from.host) }),
    ...(utm.length > 0 && { utm: Object.fromEntries(utm) as Record<string, string> }),
  };
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
