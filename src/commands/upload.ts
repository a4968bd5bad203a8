/**
 * `upload`: the process that shares fds, also while they are written. Other commands start it.
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { FdError, utf8Bytes } from "../../fd/system.ts";
import { openHostCache } from "../sharing/open_cache.ts";
import { STDOUT, writeChunks } from "../calls/streams/standard_streams.ts";
import { failUsage } from "../calls/requests/usage_failure.ts";
import { textOption } from "../calls/requests/request_fields.ts";

export const command = defineOperation({
  fields: {
    note: { kind: "words", isArgument: true },
    stable: textOption("N", "bytes of a growing fd that no size limit can replace"),
  },
  usage: "[NOTE…]",
  example: "fdtool sync",
  exitCodes: { 0: "they are shared", 1: "at least one is not", 2: [] },
  async answer({ note: named, stable = "0" }, host) {
    const url = host.storeOption;
    if (url === undefined) failUsage({ kind: "missing_argument", command: "upload", argument: "--store" });
    const cache = await openHostCache(url, host);
    const say = (word: string, id: number) => void writeChunks(STDOUT, [utf8Bytes(`${word} ${id}\n`)]);
    let exitCode = 0;
    for (const note of named ?? cache.pending().map(({ name }) => name)) {
      try {
        const id = await cache.upload(note, {
          giver: named === undefined ? undefined : "parent",
          stableBytes: Number(stable),
          onClaimed: (claimed) => say("claimed", claimed),
        });
        if (id !== undefined) say("shared", id);
      } catch (thrown) {
        if (!(thrown instanceof FdError)) throw thrown;
        exitCode = 1;
      }
    }
    return { exitCode };
  },
});
