/** The recorded outputs: small ones in the project, the others in the user's cache, where tools are installed too. */

import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";

/** Larger outputs are not kept in the project, but made again by their generator. */
const MAX_KEPT_BYTES = 40 * 1024;

const KEPT = fileURLToPath(new URL("./outputs/", import.meta.url));

/** The folder of tools and large outputs: `$FDTOOL_CORPUS_CACHE`, else ~/.cache/fdtool/first-answer. */
export const CACHE = Deno.env.get("FDTOOL_CORPUS_CACHE") ??
  join(Deno.env.get("HOME") ?? "/tmp", ".cache", "fdtool", "first-answer");

/** The output of a case, if it was recorded here. */
export function keptOutput(name: string): Uint8Array | undefined {
  const path = [KEPT, join(CACHE, "outputs")].map((folder) => join(folder, `${name}.gz`)).find(existsSync);
  return path === undefined ? undefined : gunzipSync(Deno.readFileSync(path));
}

/** Keeps the output of a case; returns where and how many bytes. */
export function keepOutput(name: string, output: Uint8Array): { path: string; byteCount: number } {
  const packed = gzipSync(output, { level: 9 });
  const inProject = join(KEPT, `${name}.gz`);
  const inCache = join(CACHE, "outputs", `${name}.gz`);
  const small = packed.length <= MAX_KEPT_BYTES;
  const [path, other] = small ? [inProject, inCache] : [inCache, inProject];
  Deno.mkdirSync(dirname(path), { recursive: true });
  Deno.writeFileSync(path, packed);
  rmSync(other, { force: true });
  return { path, byteCount: packed.length };
}
