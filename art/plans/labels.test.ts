import { describe, expect, it } from "vitest";
import { languages } from "../../frontend/shared/i18n/language.ts";
import { cardDrawing, largeDrawing } from "./drawing.ts";
import { type Box, collide } from "./geometry.ts";
import { listLabelObstacles } from "./label-places.ts";
import { isPrincipal, roomLabels } from "./labels.ts";
import { layOut, type Swing } from "./layout.ts";
import type { Text } from "./lettering.ts";
import { drawingLettering, drawingTexts } from "./render.ts";
import { c1 } from "./units/c1.ts";
import { units } from "./units.ts";

const lettering = await drawingLettering();

/** The box of the capitals and figures of a centred text. */
function capitalsBox(text: Text): Box {
  const half = lettering.width(text) / 2;
  const [x, y] = text.at;
  return { left: x - half, right: x + half, top: y - 0.7 * text.size, bottom: y };
}

/** The lines, and each pair of lines joined, because a label may break a name into two lines. */
function namesIn(texts: readonly Text[]): string[] {
  const lines = texts.map(({ text }) => text);
  return [...lines, ...lines.slice(1).map((line, index) => `${lines[index]} ${line}`)];
}

/** Whether a door leaf swings over part of a box. */
function swingsOver({ box, hinge, radius }: Swing, other: Box): boolean {
  const x = Math.max(other.left, Math.min(hinge[0], other.right));
  const y = Math.max(other.top, Math.min(hinge[1], other.bottom));
  return collide(box, other) && Math.hypot(x - hinge[0], y - hinge[1]) < radius;
}

const inEveryLanguage = units.flatMap((unit) =>
  languages.map((language) => ({ id: unit.id, language, layout: layOut(unit) })),
);

describe.each(inEveryLanguage)(
  "the names on the card of $id ($language)",
  ({ language, layout }) => {
    const texts = drawingTexts[language];
    const written = cardDrawing(layout, texts, lettering).texts;

    it("have the same size", () => {
      expect(new Set(written.map(({ size }) => size)).size).toBe(1);
    });

    it("include all principal rooms", () => {
      const principal = layout.rooms.filter(({ name }) => isPrincipal(name));
      expect(principal.length).toBeGreaterThanOrEqual(4);
      expect(namesIn(written)).toEqual(
        expect.arrayContaining(principal.map(({ name }) => texts.rooms[name])),
      );
    });
  },
);

describe.each(inEveryLanguage)("the labels of $id ($language)", ({ language, layout }) => {
  it.each([
    ["card", cardDrawing],
    ["large", largeDrawing],
  ] as const)("overlap no wall, furniture or swing of a door leaf (%s)", (_, draw) => {
    const { solid } = listLabelObstacles(layout);
    const swings = layout.openings.flatMap(({ swing }) => (swing === undefined ? [] : [swing]));
    const hit = draw(layout, drawingTexts[language], lettering)
      .texts.filter(
        (text) =>
          solid.some((box) => collide(box, capitalsBox(text))) ||
          swings.some((swing) => swingsOver(swing, capitalsBox(text))),
      )
      .map(({ text }) => text);
    expect(hit).toEqual([]);
  });
});

describe.each(inEveryLanguage)("the large drawing of $id ($language)", ({ language, layout }) => {
  it("names every room", () => {
    const texts = drawingTexts[language];
    expect(namesIn(largeDrawing(layout, texts, lettering).texts)).toEqual(
      expect.arrayContaining(
        layout.rooms
          .filter(({ room }) => room.label !== false)
          .map(({ name }) => texts.rooms[name]),
      ),
    );
  });
});

describe("room labels", () => {
  it("omit measures that would be too small", () => {
    const sizesFrom = (least: number) =>
      roomLabels(layOut(c1), drawingTexts.en, lettering, {
        name: { size: 250, least: 150 },
        measure: { size: 200, least },
      })
        .filter(({ text }) => text.includes("×"))
        .map(({ size }) => size);
    const smallest = Math.min(...sizesFrom(100));
    expect(smallest).toBeLessThan(200);
    expect(Math.min(...sizesFrom(smallest + 1))).toBeGreaterThan(smallest);
  });
});
