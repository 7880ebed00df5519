import type { en } from "./en.ts";
import type { enFirst } from "./en-first.ts";

/**
 * The shape that every language fills: the keys of English, each with a text. What the first screen says is fetched
 * first, the rest with the parts of the page that say it.
 * A text set in the heading font has the key `heading`: the Chinese font holds the characters of just those.
 */
export type Messages = FirstMessages & OtherMessages;

export type FirstMessages = typeof enFirst;
export type OtherMessages = typeof en;
