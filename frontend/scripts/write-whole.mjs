import { rename, writeFile } from "node:fs/promises";

/**
 * Writes a file beside its place and renames it, so that what is there is whole.
 * @param {string} file
 * @param {string | Uint8Array} content
 */
export async function writeWhole(file, content) {
  const partial = `${file}.${process.pid}`;
  await writeFile(partial, content);
  await rename(partial, file);
}
