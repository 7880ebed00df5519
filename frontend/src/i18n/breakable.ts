/** A text without the no-break spaces that are for the eye alone. */
export function breakable(text: string): string {
  return text.replaceAll("\u00a0", " ");
}
