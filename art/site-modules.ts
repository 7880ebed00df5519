// The modules that the site imports. A bundler turns the imports of drawings into addresses.
import { basename } from "node:path";
import { floorPlans } from "../frontend/shared/content/floor-plans.ts";
import { type EncodedPicture, formats } from "./pictures/encode.ts";
import { kinds } from "./plans/furniture.ts";
import type { RenderedPlan } from "./plans/render.ts";
import type { Unit } from "./plans/unit.ts";
import type { RoomPicture } from "./rooms/encode.ts";
import { homes, type RoomView } from "./rooms/rooms.ts";

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

/**
 * The eyes on the large plans: view, position in percent of the drawing, direction on the page and angle of the lens, in
 * degrees.
 */
export function roomPointsModule(views: readonly RoomView[], plans: RenderedPlan[]): string {
  const large = plans.filter(({ variant, language }) => variant === "large" && language === "en");
  const entries = large.map(({ id, box }) => {
    const points = views
      .filter(({ plan }) => plan === id)
      .map(({ view, at: [x, y], towards, lens }) => {
        const left = (100 * (1000 * x - box.left)) / (box.right - box.left);
        const top = (100 * (1000 * y - box.top)) / (box.bottom - box.top);
        return `["${view}", ${left.toFixed(1)}, ${top.toFixed(1)}, ${towards}, ${viewAngle(lens)}]`;
      });
    return points.length === 0 ? [] : [`  ${id}: [${points.join(", ")}],`];
  });
  return `${NOTE}
export type RoomPoint = [view: RoomName, left: number, top: number, towards: number, angle: number];
export type RoomName = "living" | "bedroom" | "kitchen" | "balcony";

export const roomPoints: Record<string, RoomPoint[] | undefined> = {
${entries.flat().join("\n")}
};
`;
}

/** The horizontal angle of a lens in degrees. Its focal length is in millimetres, for a sensor 36 mm wide. */
export function viewAngle(lens: number): number {
  return Math.round((360 / Math.PI) * Math.atan(18 / lens));
}

/** The addresses of the pictures of the rooms. */
export function roomPicturesModule(rooms: readonly RoomPicture[]): string {
  const imports = rooms.flatMap(({ files }) =>
    files.map(({ file }) => importStatement(`rooms/${file}`)),
  );
  const entries = rooms.map(({ view: { plan, view }, files }) => {
    const uses = files.map(({ use, file }) => `${use}: ${identifierFor(file)}`);
    return `  "${plan}-${view}": { ${uses.join(", ")} },`;
  });
  return `${NOTE}
${imports.join("\n")}

export interface RoomPicture {
  /** A few pixels, shown until the picture has loaded. */
  preview: string;
  thumbnail: string;
  avif: string;
  /** For browsers without AVIF. */
  jpeg: string;
}

/** By plan and view, such as C1-living. */
export const roomPictures: Record<string, RoomPicture | undefined> = {
${entries.join("\n")}
};
`;
}

/** The rooms with a camera, for `scene/` and for the site. One room per line. */
export function sceneViews(views: readonly RoomView[]): string {
  const lines = views.map((view) => JSON.stringify({ ...view, home: homes[view.plan] }));
  return `{\n"views": [\n${lines.join(",\n")}\n]\n}\n`;
}
