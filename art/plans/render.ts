import { type Language, languages } from "../../frontend/shared/i18n/language.ts";
import { cardDrawing, largeDrawing } from "./drawing.ts";
import type { Box } from "./geometry.ts";
import { layOut } from "./layout.ts";
import { type Lettering, loadLettering } from "./lettering.ts";
import { imageSize, toSvg } from "./svg.ts";
import type { DrawingTexts } from "./texts/en.ts";
import { en } from "./texts/en.ts";
import { zh } from "./texts/zh.ts";
import type { Unit } from "./unit.ts";
import { units } from "./units.ts";

export const drawingTexts: Record<Language, DrawingTexts> = { en, zh };

/** A drawing of one unit in one language. */
export interface RenderedPlan {
  id: string;
  language: Language;
  variant: "card" | "large";
  /** Pixels, the same in every language. */
  width: number;
  height: number;
  /** What the picture shows, in millimetres of the flat. */
  box: Box;
  svg: string;
}

/** The lettering for all drawings, with `more` characters. */
export async function drawingLettering(more = ""): Promise<Lettering> {
  return loadLettering(`${JSON.stringify(drawingTexts)}0123456789.,${more}`);
}

export function renderPlans(unit: Unit, lettering: Lettering): RenderedPlan[] {
  const layout = layOut(unit);
  return languages.flatMap((language) =>
    Object.entries({ card: cardDrawing, large: largeDrawing } as const).map(([variant, draw]) => {
      const drawing = draw(layout, drawingTexts[language], lettering);
      return {
        id: unit.id,
        language,
        variant: variant as RenderedPlan["variant"],
        ...imageSize(drawing),
        box: drawing.box,
        svg: toSvg(drawing, lettering),
      };
    }),
  );
}

/** The drawings of every unit. */
export async function renderAllPlans(): Promise<RenderedPlan[]> {
  const lettering = await drawingLettering();
  return units.flatMap((unit) => renderPlans(unit, lettering));
}
