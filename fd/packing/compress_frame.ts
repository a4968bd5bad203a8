/** Compresses frames of packed content. */

import { fail } from "../disk/errors.ts";
import { nodeZlib } from "../disk/loaded_late.ts";

/** Higher levels save little for their time (docs/decisions.md). */
const LEVEL = 3;

/** Compresses one frame, which states the size of its content. */
export function compressFrame(plain: Uint8Array): Uint8Array {
  const { zstdCompressSync, constants: zlib } = nodeZlib();
  if (zstdCompressSync === undefined || zlib === undefined) {
    const wanted = "a runtime with zstd in node:zlib (Node.js 22.15 or later)";
    return fail({ kind: "invalid_parameter", field: "pack", got: process.version, wanted });
  }
  return zstdCompressSync(plain, {
    params: { [zlib.ZSTD_c_compressionLevel]: LEVEL },
    pledgedSrcSize: plain.length,
  });
}
