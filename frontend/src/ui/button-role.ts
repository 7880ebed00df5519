import type { AnchorHTMLAttributes, KeyboardEvent } from "react";

/** What the specification calls a button and a page without script must follow as a link. */
export const buttonRole: Pick<AnchorHTMLAttributes<HTMLAnchorElement>, "role" | "onKeyDown"> = {
  role: "button",
  onKeyDown: pressBySpace,
};

function pressBySpace(event: KeyboardEvent<HTMLAnchorElement>): void {
  if (event.key === " ") {
    // It would scroll the page.
    event.preventDefault();
    event.currentTarget.click();
  }
}
