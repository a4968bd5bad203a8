/** Content as the page shows it: that in UTF-16 as its text, as everywhere else. */

import { type FdEntry, findFd, type Store, textEntry } from "../../fd/mod.ts";
import { textIn } from "./check_request.ts";

/** The text that was decoded last: a page asks for that of one fd again and again. */
const lastTexts = new WeakMap<Store, FdEntry>();

/** The fd in a field of a query, with the counts of its text. */
export async function pageText(store: Store, query: URLSearchParams, field = "fd"): Promise<FdEntry> {
  return await shownText(store, findFd(store, textIn(query, field)));
}

/** The text of an fd. */
export async function shownText(store: Store, entry: FdEntry): Promise<FdEntry> {
  const last = lastTexts.get(store);
  if (last?.id === entry.id) return last;
  // Reading damaged content reports it.
  const text = await textEntry(store, entry).catch(() => entry);
  // Only content that has ended is decoded.
  if (text.decoded !== undefined) lastTexts.set(store, text);
  return text;
}
