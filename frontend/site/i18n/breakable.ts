/** Replaces no-break spaces, which are only for display, by spaces. */
export function breakable(text: string): string {
  return text.replaceAll("\u00a0", " ");
}
