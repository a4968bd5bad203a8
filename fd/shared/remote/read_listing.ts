/**
 * Reads the answer of ListObjectsV2. Names that are missing, out of order or outside what was asked for would make fds
 * disappear or be given twice, so such an answer is refused.
 */

import { ifPossible } from "../../disk/errors.ts";
import { childText, type XmlElement, xmlIn } from "./read_xml.ts";
import type { ListedObject } from "./object_store.ts";

/** A request for a listing; keys with the store's prefix. */
export interface AskedListing {
  prefix: string;
  after: string | undefined;
  most: number;
}

/** Fails because the answer cannot be used: it is not well-formed (`answers`), or not the list that was asked for. */
type RefuseListing = (promise: "answers" | "ordered_list", found: string) => never;

/** Returns the objects in `text`; keys with the store's prefix. */
export function readListing(
  text: string,
  asked: AskedListing,
  refuse: RefuseListing,
): { objects: ListedObject[]; isCut: boolean } {
  const root = xmlIn(text) ?? refuse("answers", "it is not well-formed XML");
  const isCut = childText(root, "IsTruncated");
  if (root.name !== "ListBucketResult" || (isCut !== "true" && isCut !== "false")) {
    refuse("answers", `not a ListBucketResult: <${root.name}>`);
  }
  const isEncoded = childText(root, "EncodingType") === "url";
  const objects: ListedObject[] = [];
  let last = asked.after ?? "";
  for (const element of root.children) {
    if (element.name !== "Contents") continue;
    const listed = readObject(element, isEncoded, refuse);
    const { key } = listed;
    if (!key.startsWith(asked.prefix)) {
      refuse("ordered_list", `it listed ${key} for the prefix ${asked.prefix}`);
    }
    // Keys of the store are ASCII, whose order in UTF-16 is that in UTF-8.
    if (key <= last) refuse("ordered_list", `it listed ${key} after ${last}`);
    last = key;
    objects.push(listed);
  }
  if (objects.length > asked.most) {
    refuse("ordered_list", `it listed ${objects.length} objects instead of at most ${asked.most}`);
  }
  if (isCut === "true" && objects.length === 0) {
    refuse("ordered_list", "it listed nothing and said there is more");
  }
  return { objects, isCut: isCut === "true" };
}

function readObject(element: XmlElement, isEncoded: boolean, refuse: RefuseListing): ListedObject {
  const key = childText(element, "Key");
  const size = childText(element, "Size");
  const etag = childText(element, "ETag");
  const modifiedAtMs = Date.parse(childText(element, "LastModified") ?? "");
  if (
    key === undefined || !/^\d{1,15}$/.test(size ?? "") || etag === undefined || Number.isNaN(modifiedAtMs)
  ) {
    return refuse("answers", "an object without key, size, etag or date");
  }
  const decoded = () => isEncoded ? decodeURIComponent(key.replaceAll("+", " ")) : key;
  const plainKey = ifPossible(decoded, URIError) ??
    refuse("answers", `a key that is not URL-encoded: ${key}`);
  return { key: plainKey, etag: withoutQuotes(etag), byteCount: Number(size), modifiedAtMs };
}

/** Stores write etags with quotes, and some without. */
export function withoutQuotes(etag: string): string {
  return /^"[^"]*"$/.test(etag) ? etag.slice(1, -1) : etag;
}
