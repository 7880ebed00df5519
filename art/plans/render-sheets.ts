import { floorPlans, planFile } from "../../frontend/shared/content/floor-plans.ts";
import { languages, languageTags } from "../../frontend/shared/i18n/language.ts";
import { messages } from "../../frontend/site/i18n/all-languages.ts";
import { breakable } from "../../frontend/site/i18n/breakable.ts";
import { layOut } from "./layout.ts";
import { createPdf } from "./pdf.ts";
import { drawingLettering, drawingTexts } from "./render.ts";
import { layOutSheet, type Sheet } from "./sheet.ts";
import { units } from "./units.ts";

export interface RenderedSheet {
  /** Path at which the site serves it. */
  path: string;
  pdf: Buffer;
}

/**
 * The printable sheet of every unit in every language, and one file for each language with all sheets.
 * @throws if a drawn unit is not on the site
 */
export async function renderAllSheets(): Promise<RenderedSheet[]> {
  const named = Object.values(messages).map(({ unit, plans }) => [unit, plans.type]);
  const lettering = await drawingLettering(`ZYON GRAND${JSON.stringify(named)}`);
  return Promise.all(
    languages.flatMap((language) => {
      const texts = messages[language];
      const sheets = units.map((unit) => {
        const plan = floorPlans.find(({ id }) => id === unit.id);
        if (plan === undefined) {
          throw new Error(`the site has no unit ${unit.id}`);
        }
        const facts = {
          ...plan,
          heading: breakable(texts.unit[plan.id].heading),
          type: breakable(texts.plans.type[plan.type]),
        };
        return {
          id: plan.id,
          sheet: layOutSheet(layOut(unit), facts, drawingTexts[language], lettering),
        };
      });
      const render = async (id: string, title: string, of: Sheet[]) => {
        const settings = { title, language: languageTags[language], author: "Zyon Grand" };
        return { path: planFile(id, language), pdf: await createPdf(of, lettering, settings) };
      };
      return [
        ...sheets.map(({ id, sheet }) => render(id, sheet.title, [sheet])),
        render(
          "all",
          texts.head.floorPlans.title,
          sheets.map(({ sheet }) => sheet),
        ),
      ];
    }),
  );
}
