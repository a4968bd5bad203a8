/** Writes a record in the object form: claim, seal and content with one write (FORMAT.md). */

import { joinBytes } from "../bytes/utf8_bytes.ts";
import { writeWhole } from "../disk/write_whole.ts";
import { encodeObject, OBJECT_HEADER_BYTES } from "../packs/object_form.ts";
import { encodeCheckedLine } from "../store/checked_log.ts";
import type { ContentInRecord } from "./object_record.ts";
import type { ClaimLine, DigestLine, SealLine } from "./record_line.ts";

/**
 * Writes claim, seal and content, at most a block, of fd `id` to its empty record `file`; `digest` follows the content. Returns
 * where the content is. Throws system errors unchanged.
 */
export function writeObject(
  file: number,
  id: number,
  { claim, seal, digest }: { claim: ClaimLine; seal: SealLine; digest?: DigestLine | undefined },
  content: Uint8Array,
): ContentInRecord {
  const record = joinBytes([encodeCheckedLine(claim), encodeCheckedLine(seal)]);
  const object = encodeObject({ id, record, content });
  writeWhole(file, digest === undefined ? object : joinBytes([object, encodeCheckedLine(digest, "\n")]));
  const fromByte = OBJECT_HEADER_BYTES + record.length;
  return { fromByte, content: object.subarray(fromByte) };
}
