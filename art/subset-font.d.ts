declare module "subset-font" {
  /** Cuts a font down to the glyphs that a text needs. */
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: {
      targetFormat: "sfnt" | "woff" | "woff2";
      /** Values at which axes of a variable font are fixed. */
      variationAxes?: Record<string, number>;
    },
  ): Promise<Buffer>;
}
