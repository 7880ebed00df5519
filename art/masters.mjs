// Creates the masters from renders. `node masters.mjs FILE.png...` writes masters/<name>.jpg for each, and
// masters/rooms/<name>.jpg and .json for a picture with a record.
import { existsSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import sharp from "sharp";

for (const file of process.argv.slice(2)) {
  const record = file.replace(/png$/, "json");
  const isRoom = existsSync(record);
  const name = `${isRoom ? "rooms/" : ""}${basename(file, ".png")}.jpg`;
  const { size } = await sharp(file)
    // No visible loss, even in the colours of small lights.
    .jpeg({ quality: 93, chromaSubsampling: "4:4:4", mozjpeg: true })
    .toFile(resolve(import.meta.dirname, "masters", name));
  if (isRoom) {
    await copyFile(record, resolve(import.meta.dirname, "masters/rooms", basename(record)));
  }
  console.log(`masters/${name}: ${Math.round(size / 1000)} KB`);
}
