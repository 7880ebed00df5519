import type { AnchorHTMLAttributes, MouseEvent } from "react";

/** Whether a click follows the link in this tab, without a new tab, window or download. */
export function isPlainClick(event: MouseEvent): boolean {
  return !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
}

/** Properties of a link that the specification calls a button. Without JavaScript it works as a link. */
export const buttonRole: Pick<AnchorHTMLAttributes<HTMLAnchorElement>, "role" | "onKeyDown"> = {
  role: "button",
  onKeyDown: (event) => {
    if (event.key === " ") {
      // Space would scroll the page.
      event.preventDefault();
      event.currentTarget.click();
    }
  },
};
