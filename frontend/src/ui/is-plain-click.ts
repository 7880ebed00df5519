import type { MouseEvent } from "react";

/** Whether a click asks for nothing but to follow the link here: no new tab, window or download. */
export function isPlainClick(event: MouseEvent): boolean {
  return !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
}
