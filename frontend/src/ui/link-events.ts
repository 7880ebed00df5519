import type { AnchorHTMLAttributes, MouseEvent } from "react";

/** Whether a click asks for nothing but to follow the link here: no new tab, window or download. */
export function isPlainClick(event: MouseEvent): boolean {
  return !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
}

/** What the specification calls a button and a page without script must follow as a link. */
export const buttonRole: Pick<AnchorHTMLAttributes<HTMLAnchorElement>, "role" | "onKeyDown"> = {
  role: "button",
  onKeyDown: (event) => {
    if (event.key === " ") {
      // It would scroll the page.
      event.preventDefault();
      event.currentTarget.click();
    }
  },
};
