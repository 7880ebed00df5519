// The modules that the site imports. A bundler turns the imports of drawings into addresses.
import { basename } from "node:path";
import { floorPlans } from "../frontend/src/content/floor-plans.ts";
import { type EncodedPicture, formats } from "./pictures/encode.ts";
import { kinds } from "./plans/furniture.ts";
import type { RenderedPlan } from "./plans/render.ts";
import type { Unit } from "./plans/unit.ts";

const NOTE = "// Written by `npm run draw` in art/.";

export const mapModule = `${NOTE}
import "./map.css";
import map from "./map.svg";

export const mapPicture = map;
`;

/** Path of a drawing of a unit in `dist/`. */
export function planPath({ id, variant, language }: RenderedPlan): string {
  return `plans/${id.toLowerCase()}-${variant}-${language}.svg`;
}

export function plansModule(plans: RenderedPlan[]): string {
  const units = [...new Set(plans.map(({ id }) => id))].map((id) => {
    const variants = (["card", "large"] as const).map((variant) => {
      const drawn = plans.filter((plan) => plan.id === id && plan.variant === variant);
      const files = drawn.map((plan) => `${plan.language}: ${identifierFor(planPath(plan))}`);
      const { width, height } = drawn[0] as RenderedPlan;
      return `    ${variant}: { width: ${width}, height: ${height}, ${files.join(", ")} },`;
    });
    return `  ${id}: {\n${variants.join("\n")}\n  },`;
  });
  return `${NOTE}
import "./plans.css";
${plans.map(planPath).map(importStatement).join("\n")}

export const plans = {
${units.join("\n")}
};
`;
}

/** The share of its frame's width for each card, so the plans of one type have one scale. */
export function planShares(plans: RenderedPlan[]): string {
  const cards = plans.filter(({ variant, language }) => variant === "card" && language === "en");
  const typeOf = (id: string) => floorPlans.find((plan) => plan.id === id)?.type;
  // The frame is 4 by 3.
  const frame = (card: RenderedPlan) => Math.max(card.width, (card.height * 4) / 3);
  const rules = cards.map((card) => {
    const group = cards.filter(({ id }) => typeOf(id) === typeOf(card.id));
    const share = (100 * card.width) / Math.max(...group.map(frame));
    return `.plan-share-${card.id} { width: ${share.toFixed(1)}% }\n`;
  });
  return `@layer features {\n${rules.join("")}}\n`;
}

export function picturesModule(pictures: EncodedPicture[]): string {
  const entries = pictures.map(({ name, width, height, encodings }) => {
    const sets = formats.map((format) => {
      const files = encodings.filter((encoding) => encoding.format === format);
      const set = files.map(({ file, width }) => `\${${identifierFor(file)}} ${width}w`);
      return `    ${format}: \`${set.join(", ")}\`,`;
    });
    return `  ${name}: {\n    name: "${name}",\n    width: ${width},\n    height: ${height},\n${sets.join("\n")}\n  },`;
  });
  const files = pictures.flatMap(({ encodings }) => encodings.map(({ file }) => file));
  return `${NOTE}
${files.map((file) => importStatement(`pictures/${file}`)).join("\n")}

export const pictures = {
${entries.join("\n")}
};
`;
}

/** The placeholder colour of each picture, as the class `picture-<name>`. */
export function pictureColours(pictures: EncodedPicture[]): string {
  const rules = pictures.map(
    ({ name, colour }) => `.picture-${name} { background-color: ${colour}; }`,
  );
  return `@layer ui {\n${rules.join("\n")}\n}\n`;
}

function importStatement(path: string): string {
  return `import ${identifierFor(path)} from "./${path}";`;
}

function identifierFor(path: string): string {
  return basename(path).replaceAll(/[-.]/g, "_");
}

/** The units in metres, for the rooms of `scene/`. One unit per line. */
export function sceneUnits(units: readonly Unit[]): string {
  return `{\n"kinds": ${JSON.stringify(kinds)},\n"units": [\n${units.map((unit) => JSON.stringify(unit)).join(",\n")}\n]\n}\n`;
}
