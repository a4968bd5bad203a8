/**
 * The files of the page, as they are served. `scripts/build` embeds the folder `page/` as one compressed JSON object; the
 * source form reads the folder.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";

const EMBEDDED = "ui-page.json.br";
const FOLDER = "page/";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** A file of the page. */
export interface PageFile {
  mediaType: string;
  text: string;
}

/** Reads all files of the page, by name. */
export function pageFiles(): ReadonlyMap<string, PageFile> {
  const embedded = fileURLToPath(new URL(EMBEDDED, import.meta.url));
  const texts: Record<string, string> = existsSync(embedded)
    ? JSON.parse(brotliDecompressSync(readFileSync(embedded)).toString("utf8"))
    : textsIn(fileURLToPath(new URL(FOLDER, import.meta.url)));
  return new Map(
    Object.entries(texts).map(([name, text]) => [
      name,
      { mediaType: MEDIA_TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "text/plain; charset=utf-8", text },
    ]),
  );
}

function textsIn(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(folder + name, "utf8")]));
}
