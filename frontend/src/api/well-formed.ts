/** JSON text must be Unicode: half an emoji, cut off by `maxlength` or an input method, becomes U+FFFD. */
export function wellFormed(text: string): string {
  // String.prototype.toWellFormed is younger than the browsers served.
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
