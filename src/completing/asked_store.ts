/**
 * The store of the call that is being typed, and remarks on what it has. Nothing is written there, and what cannot be read is left
 * out, since a shell is asking while someone types.
 */

import { isStoreUrl, openStore, parseStoreUrl, type Store } from "../../fd/mod.ts";
import { openHostStore } from "../answering/open_host_store.ts";
import { fitCells } from "../screen/char_width.ts";
import { agoText } from "../screen/moment_text.ts";
import type { Host } from "../terms/command.ts";
import { plainText } from "../terms/control_chars.ts";

/** How many of the newest of each kind are offered. */
export const MAX_OFFERED = 50;

/** The longest part of a remark that comes from a command or a question, in cells of the screen. */
const MAX_CELLS = 44;

/**
 * The store that `--store` of that call names, or else the caller's. Of a shared store, what this host has in its cache: nothing is
 * asked for while someone types.
 */
export async function storeFor(host: Host, storeOption: string | undefined): Promise<Store> {
  const written = storeOption ?? host.storeOption ?? host.env["FDTOOL_STORE"];
  if (written === undefined || !isStoreUrl(written)) {
    return openHostStore({ ...host, storeOption: storeOption ?? host.storeOption });
  }
  const { cacheDirectory } = await import("../sharing/cache_directory.ts");
  return openStore(cacheDirectory(parseStoreUrl(written, "--store").place, host.env));
}

/** The parts that there are, and how long ago it was. */
export function remark(parts: readonly (string | undefined)[], atMs: number): string {
  const shown = parts.flatMap((part) => part === undefined ? [] : [fitCells(plainText(part), MAX_CELLS)]);
  return [...shown, agoText(atMs, Date.now())].join(", ");
}
