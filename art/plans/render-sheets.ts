import { floorPlans, planFile } from "../../frontend/src/content/floor-plans.ts";
import { messages } from "../../frontend/src/i18n/all-languages.ts";
import { breakable } from "../../frontend/src/i18n/breakable.ts";
import { languages, languageTags } from "../../frontend/src/i18n/language.ts";
import { layOut } from "./layout.ts";
import { pdfOf } from "./pdf.ts";
import { drawingLettering, drawingTexts } from "./render.ts";
import { sheetOf } from "./sheet.ts";
import { units } from "./units.ts";

export interface RenderedSheet {
  /** Path at which the site serves it. */
  path: string;
  pdf: Buffer;
}

/**
 * The printable sheet of every unit in every language.
 * @throws if the site does not know a unit that is drawn
 */
export async function renderAllSheets(): Promise<RenderedSheet[]> {
  const named = Object.values(messages).map(({ unit, plans }) => [unit, plans.type]);
  const lettering = await drawingLettering(`ZYON GRAND${JSON.stringify(named)}`);
  return Promise.all(
    units.flatMap((unit) => {
      const layout = layOut(unit);
      const plan = floorPlans.find(({ id }) => id === unit.id);
      if (plan === undefined) {
        throw new Error(`the site has no unit ${unit.id}`);
      }
      return languages.map(async (language) => {
        const { unit, plans } = messages[language];
        const facts = {
          ...plan,
          heading: breakable(unit[plan.id].heading),
          type: breakable(plans.type[plan.type]),
        };
        const sheet = sheetOf(layout, facts, drawingTexts[language], lettering);
        const pdf = await pdfOf(sheet, lettering, {
          language: languageTags[language],
          author: "Zyon Grand",
        });
        return { path: planFile(plan.id, language), pdf };
      });
    }),
  );
}
