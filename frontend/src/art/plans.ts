import { plans as drawn } from "../../../art/dist/plans.ts";

/** An SVG without fonts in each language: `card` has names in large letters, `large` also measures, a scale bar and a north arrow. */
export const plans = drawn;
