import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const compressible = [".html", ".css", ".js", ".svg", ".txt", ".xml", ".json", ".webmanifest"];

/**
 * Writes .gz and .br copies of every compressible file. Fonts and pictures are already compressed.
 * @param {string} directory
 * @returns {Promise<number>} how many files were compressed
 */
export async function compressFiles(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && compressible.includes(extname(entry.name)))
    .map((entry) => resolve(entry.parentPath, entry.name));
  for (const file of files) {
    const content = await readFile(file);
    // nginx replaces SSI directives in these documents.
    if (content.includes("<!--#")) {
      continue;
    }
    await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
    await writeFile(
      `${file}.br`,
      await promisify(brotliCompress)(content, {
        params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
      }),
    );
  }
  return files.length;
}
