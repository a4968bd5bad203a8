/**
 * Reads the answer of ListObjectsV2. Names that are missing, out of order or outside what was asked for would make fds
 * disappear or be given twice, so such an answer is refused.
 */

import { childText, readXml, type XmlElement, XmlError } from "./read_xml.ts";
import type { ListedObject } from "./object_store.ts";

/** A request for a listing; keys with the store's prefix. */
export interface AskedListing {
  prefix: string;
  after: string | undefined;
  most: number;
}

/** Why an answer cannot be used. `isUnordered`: it is well-formed, but not the list that was asked for. */
export class ListingError extends Error {
  constructor(reason: string, readonly isUnordered: boolean) {
    super(reason);
  }
}

/** Returns the objects in `text`; keys with the store's prefix. Throws {@link ListingError}. */
export function readListing(text: string, asked: AskedListing): { objects: ListedObject[]; isCut: boolean } {
  let root: XmlElement;
  try {
    root = readXml(text);
  } catch (thrown) {
    if (thrown instanceof XmlError) throw new ListingError(thrown.message, false);
    throw thrown;
  }
  const isCut = childText(root, "IsTruncated");
  if (root.name !== "ListBucketResult" || (isCut !== "true" && isCut !== "false")) {
    throw new ListingError(`not a ListBucketResult: <${root.name}>`, false);
  }
  const isEncoded = childText(root, "EncodingType") === "url";
  const objects: ListedObject[] = [];
  let last = asked.after ?? "";
  for (const element of root.children) {
    if (element.name !== "Contents") continue;
    const listed = readObject(element, isEncoded);
    checkPlace(listed.key, last, asked);
    last = listed.key;
    objects.push(listed);
  }
  if (objects.length > asked.most) {
    throw new ListingError(`it listed ${objects.length} objects instead of at most ${asked.most}`, true);
  }
  if (isCut === "true" && objects.length === 0) {
    throw new ListingError("it listed nothing and said there is more", true);
  }
  return { objects, isCut: isCut === "true" };
}

function readObject(element: XmlElement, isEncoded: boolean): ListedObject {
  const key = childText(element, "Key");
  const size = childText(element, "Size");
  const etag = childText(element, "ETag");
  const modifiedAtMs = Date.parse(childText(element, "LastModified") ?? "");
  if (
    key === undefined || !/^\d{1,15}$/.test(size ?? "") || etag === undefined || Number.isNaN(modifiedAtMs)
  ) {
    throw new ListingError("an object without key, size, etag or date", false);
  }
  return {
    key: isEncoded ? urlDecoded(key) : key,
    etag: withoutQuotes(etag),
    byteCount: Number(size),
    modifiedAtMs,
  };
}

/** Keys of the store are ASCII, whose order in UTF-16 is that in UTF-8. */
function checkPlace(key: string, last: string, { prefix }: AskedListing): void {
  if (!key.startsWith(prefix)) throw new ListingError(`it listed ${key} for the prefix ${prefix}`, true);
  if (key <= last) throw new ListingError(`it listed ${key} after ${last}`, true);
}

function urlDecoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll("+", " "));
  } catch {
    throw new ListingError(`a key that is not URL-encoded: ${key}`, false);
  }
}

/** Stores write etags with quotes, and some without. */
export function withoutQuotes(etag: string): string {
  return /^"[^"]*"$/.test(etag) ? etag.slice(1, -1) : etag;
}
