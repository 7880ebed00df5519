const KEY = "zyon-grand.landing";

/** How a visitor came: the address of a page, and the page before it. */
export interface Landing {
  href: string;
  /** `document.referrer`: empty when there is none. */
  referrer: string;
}

/**
 * Keeps how this tab came to the site when it leaves this page: the session begins with the first use, perhaps of another
 * page. Not at once, because storage takes time that the page's first paint needs.
 */
export function keepLanding(): void {
  const arrival = here();
  window.addEventListener("pagehide", () => {
    try {
      if (sessionStorage.getItem(KEY) === null) {
        sessionStorage.setItem(KEY, JSON.stringify(arrival));
      }
    } catch {
      // Without storage the page of the first use counts.
    }
  });
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
