/**
 * A process that puts fds one after the other: `put_many.ts STORE COUNT`. Each content is different.
 */

import { DEFAULT_LIMITS, openStore, putBytes } from "../../fd/mod.ts";

/** Content of fd `n` (from 1): lines of `content N`, up to about 50 KiB, mostly shorter than a block. */
export function numberedContent(n: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`content ${n}\n`.repeat(1 + n * 211 % 4000));
}

/** The whole content that begins like this. */
export function rightContent(held: Uint8Array): Uint8Array | undefined {
  const n = /^content (\d+)\n/.exec(new TextDecoder().decode(held.subarray(0, 24)))?.[1];
  return n === undefined ? undefined : numberedContent(Number(n));
}

if (import.meta.main) {
  const [path = "", count] = Deno.args;
  const store = openStore(path, DEFAULT_LIMITS);
  for (let n = 1; n <= Number(count); n++) putBytes(store, numberedContent(n), { source: "soak" });
}
