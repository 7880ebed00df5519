import type { FloorPlanId } from "#content/floor-plans.ts";
import type { Language } from "#i18n/language.ts";
import { plans as drawn } from "../../../art/dist/plans.ts";

/** An SVG without fonts, in each language. */
interface DrawnPlan extends Record<Language, string> {
  /** Pixels, the same in every language. */
  width: number;
  height: number;
}

/** `card` has names in large letters, `large` also measures, a scale bar and a north arrow. */
export const plans: Record<FloorPlanId, Record<"card" | "large", DrawnPlan>> = drawn;
