import { wellFormed } from "#shared/api/post-json.ts";

// The server cleans by the same rules, in services/shared/lead/src/text.rs.

/** Invisible code points that emoji and some scripts need within a word. */
const JOINER = "[\\p{Join_Control}\\p{Variation_Selector}]";

/** Invisible code points and control characters. */
const HIDDEN = new RegExp(
  `(?!${JOINER})\\p{Default_Ignorable_Code_Point}|(?![\\s\\u0085])\\p{Cc}`,
  "gu",
);

/** White space of any kind, and the Braille blank. */
const SPACES = /[\s\u0085\u2800]+/g;

/** Spaces and joiners at both ends of a cleaned line. */
const ENDS = new RegExp(`^(?: |${JOINER})+|(?: |${JOINER})+$`, "gu");

const LINE_BREAK = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;

/** The text trimmed and on one line, without invisible characters. */
export function cleanLine(text: string): string {
  return wellFormed(text).replace(HIDDEN, "").replace(SPACES, " ").replace(ENDS, "");
}

/** Like `cleanLine`, with full-width characters as ASCII: for text that has only ASCII. */
export function cleanAscii(text: string): string {
  return cleanLine(text)
    .replace(new RegExp(JOINER, "gu"), "")
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[。｡]/g, ".");
}

/** The text trimmed, with line feeds as its only line breaks, without invisible characters. */
export function cleanLines(text: string): string {
  return wellFormed(text).replace(LINE_BREAK, "\n").replace(HIDDEN, "").trim();
}
