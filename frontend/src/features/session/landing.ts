const KEY = "zyon-grand.landing";

/** How a visitor came: the address of a page, and the page before it. */
export interface Landing {
  href: string;
  /** `document.referrer`: empty when there is none. */
  referrer: string;
}

/** Keeps how this tab came to the site, for the session, which begins with the first use, perhaps of another page. */
export function noteLanding(): void {
  try {
    if (sessionStorage.getItem(KEY) === null) {
      sessionStorage.setItem(KEY, JSON.stringify(here()));
    }
  } catch {
    // Without storage the page of the first use counts.
  }
}

export function landing(): Landing {
  try {
    const { href, referrer } = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
    return { href: new URL(href).href, referrer: String(referrer) };
  } catch {
    return here();
  }
}

function here(): Landing {
  return { href: window.location.href, referrer: document.referrer };
}
