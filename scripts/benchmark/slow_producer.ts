/** Writes a file to stdout at a rate, then the time to another file: `slow_producer.ts FILE BYTES_PER_MS END`. */

import { closeSync, openSync, readSync, writeFileSync, writeSync } from "node:fs";
import process from "node:process";
import { pause } from "../../fd/disk/disk.ts";

const [, , path = "", bytesPerMs = "", end = ""] = process.argv;
const file = openSync(path, "r");
const piece = new Uint8Array(1 << 18);
const startedAt = performance.now();
for (let sent = 0;;) {
  const length = readSync(file, piece);
  if (length === 0) break;
  for (let at = 0; at < length;) at += writeSync(1, piece, at, length - at);
  sent += length;
  const aheadMs = sent / Number(bytesPerMs) - (performance.now() - startedAt);
  if (aheadMs > 0) pause(aheadMs);
}
closeSync(file);
writeFileSync(end, String(Date.now()));
