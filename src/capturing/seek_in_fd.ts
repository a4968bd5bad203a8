/** Searches an fd for what its reader looks for. */

import { type FdEntry, searchFd, type Store } from "../../fd/mod.ts";
import { seekWords, type Sought } from "../findings/digest/about_weights.ts";

/** Searches `entry` for the words of `about`. */
export async function seekInFd(store: Store, entry: FdEntry, about: string): Promise<Sought> {
  return await seekWords(about, entry.lineCount, async (pattern, keep) => {
    const options = { pattern, ignoreCase: true, clean: true, shapes: true, keep };
    const { total, hits, shapes } = await searchFd(store, entry, options);
    const found = [...hits, ...shapes.flatMap(({ lines }) => lines)];
    return { total, lines: found.map(({ lineNumber }) => lineNumber) };
  });
}
