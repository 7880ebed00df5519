declare module "virtual:plans" {
  /** A floor plan as `scripts/plans.mjs` drew it: an SVG without fonts, in each language. */
  export interface DrawnPlan extends Record<import("#i18n/language.ts").Language, string> {
    /** Pixels, the same in every language. */
    width: number;
    height: number;
  }

  /** By unit: `card` has names in large letters, `large` also measures, a scale bar and a north arrow. */
  export const plans: Record<
    import("#content/floor-plans.ts").FloorPlanId,
    Record<"card" | "large", DrawnPlan>
  >;
}
