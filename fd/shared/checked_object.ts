/** Objects that hold one checksummed JSON line. */

import { encodeCheckedLine, readCheckedLines } from "../store/checked_log.ts";

export function encodeCheckedObject(fields: object): Uint8Array<ArrayBuffer> {
  return encodeCheckedLine(fields);
}

/** Returns the value of an object's only line, or undefined if it is damaged. */
export function decodeCheckedObject(bytes: Uint8Array): object | undefined {
  let found: object | undefined;
  readCheckedLines(bytes, (value) => {
    found = typeof value === "object" && value !== null ? value : undefined;
  });
  return found;
}
