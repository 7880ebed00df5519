import { floorPlans } from "../../src/content/floor-plans.ts";
import { messages } from "../../src/i18n/all-languages.ts";
import { type Language, languages, languageTags } from "../../src/i18n/language.ts";
import { layOut } from "./layout.ts";
import { pdfOf } from "./pdf.ts";
import { drawingLettering, drawingTexts } from "./render.ts";
import { sheetOf } from "./sheet.ts";
import { units } from "./units.ts";

export interface RenderedSheet {
  id: string;
  language: Language;
  pdf: Buffer;
}

/**
 * The printable sheet of every unit in every language.
 * @throws if the site does not know a unit that is drawn
 */
export async function renderAllSheets(): Promise<RenderedSheet[]> {
  const named = Object.values(messages).map(({ plans }) => [plans.unit, plans.type]);
  const lettering = await drawingLettering(`ZYON GRAND${JSON.stringify(named)}`);
  return Promise.all(
    units.flatMap((unit) => {
      const layout = layOut(unit);
      const plan = floorPlans.find(({ id }) => id === unit.id);
      if (plan === undefined) {
        throw new Error(`the site has no unit ${unit.id}`);
      }
      return languages.map(async (language) => {
        const { plans } = messages[language];
        const facts = {
          ...plan,
          heading: plainSpaces(plans.unit[plan.id].heading),
          type: plainSpaces(plans.type[plan.type]),
        };
        const sheet = sheetOf(layout, facts, drawingTexts[language], lettering);
        const pdf = await pdfOf(sheet, lettering, {
          language: languageTags[language],
          author: "Zyon Grand",
        });
        return { id: unit.id, language, pdf };
      });
    }),
  );
}

function plainSpaces(text: string): string {
  return text.replaceAll("\u00a0", " ");
}
