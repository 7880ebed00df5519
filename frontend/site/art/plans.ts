import { plans as drawn } from "../../../art/dist/plans.ts";

/** An SVG in each language: `card` has large names; `large` also has measures, a scale bar and a north arrow. */
export const plans = drawn;
