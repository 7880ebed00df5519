import PDFDocument from "pdfkit";
import type { Shape } from "./drawing.ts";
import { type Box, collide } from "./geometry.ts";
import type { Lettering, Text } from "./lettering.ts";
import type { Texture } from "./paints.ts";
import type { Placed, Sheet } from "./sheet.ts";
import { isTexture } from "./svg.ts";

const POINTS_PER_MILLIMETRE = 72 / 25.4;

/**
 * Sheets as a tagged PDF with one page for each. The text can be selected and searched. For screen readers, a page is a
 * figure whose alternative text contains all its texts. The same sheets result in the same bytes.
 */
export async function createPdf(
  sheets: readonly Sheet[],
  lettering: Lettering,
  { title, language, author }: { title: string; language: string; author: string },
): Promise<Buffer> {
  const document = new PDFDocument({
    autoFirstPage: false,
    lang: language,
    displayTitle: true,
    tagged: true,
    pdfVersion: "1.7",
    info: { Title: title, Author: author, CreationDate: new Date(0) },
  });
  const chunks: Buffer[] = [];
  const whole = new Promise<Buffer>((resolve, reject) => {
    document.on("data", (chunk: Buffer) => chunks.push(chunk));
    document.on("end", () => resolve(Buffer.concat(chunks)));
    document.on("error", reject);
  });
  for (const [name, bytes] of lettering.fonts) {
    document.registerFont(name, bytes);
  }
  for (const sheet of sheets) {
    const [width, height] = [sheet.width, sheet.height].map((side) => side * POINTS_PER_MILLIMETRE);
    document.addPage({ size: [width as number, height as number], margin: 0 });
    document.scale(POINTS_PER_MILLIMETRE);
    const texts = sheet.placed.flatMap(({ drawing }) => drawing.texts.map(({ text }) => text));
    const figure = document.struct("Figure", { title: sheet.title, alt: texts.join(", ") }, () => {
      for (const placed of sheet.placed) {
        draw(document, placed, lettering);
      }
    });
    document.addStructure(figure);
    figure.end();
    document.outline.addItem(sheet.title);
  }
  document.end();
  return whole;
}

function draw(document: PDFKit.PDFDocument, { drawing, at, scale }: Placed, lettering: Lettering) {
  document.save().translate(at[0], at[1]).scale(scale);
  for (const shape of drawing.shapes) {
    drawShape(document, shape);
  }
  for (const text of drawing.texts) {
    write(document, text, lettering);
  }
  document.restore();
}

function drawShape(document: PDFKit.PDFDocument, { paint, data, extent }: Shape) {
  const { fill, stroke, width = 0 } = paint;
  if (isTexture(fill)) {
    document.path(data).fill(fill.ground);
    if (extent !== undefined) {
      document.save().path(data).clip();
      drawTexture(document, fill, extent);
      document.restore();
    }
    return;
  }
  document.lineWidth(width).path(data);
  if (fill !== undefined && stroke !== undefined) {
    document.fillAndStroke(fill, stroke);
  } else if (fill !== undefined) {
    document.fill(fill, "even-odd");
  } else if (stroke !== undefined) {
    document.stroke(stroke);
  }
}

/** Repeats the lines of a texture over an extent. */
function drawTexture(document: PDFKit.PDFDocument, texture: Texture, extent: Box) {
  const { width, height, lines, stroke } = texture;
  document.lineWidth(9).strokeColor(stroke);
  for (let y = Math.floor(extent.top / height) * height; y < extent.bottom; y += height) {
    for (let x = Math.floor(extent.left / width) * width; x < extent.right; x += width) {
      if (collide(extent, { left: x, top: y, right: x + width, bottom: y + height })) {
        document.save().translate(x, y).path(lines).stroke().restore();
      }
    }
  }
}

function write(document: PDFKit.PDFDocument, text: Text, lettering: Lettering) {
  let x = lettering.start(text);
  document.fillColor(text.fill).fontSize(text.size);
  for (const { text: part, font, width } of lettering.runs(text)) {
    document.font(font).text(part, x, text.at[1], {
      baseline: "alphabetic",
      lineBreak: false,
      characterSpacing: (text.tracking ?? 0) * text.size,
    });
    x += width;
  }
}
