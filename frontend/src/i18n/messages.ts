import type { en } from "./en.ts";

/**
 * The shape that every language fills: the keys of English, each with a text.
 * A text set in the heading font has the key `heading`: the Chinese font holds the characters of just those.
 */
export type Messages = typeof en;
