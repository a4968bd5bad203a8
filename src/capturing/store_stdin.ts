/**
 * Stores stdin: the part of `capture` that small input never comes to. Most of what is stored has come whole by then, and
 * is dealt with here; what else there may be to it is loaded where it is met (`store_long_stdin.ts`).
 *
 * @module
 */

import { type FdEntry, FdError, isSweepDue } from "../../fd/mod.ts";
import type { Host, Outcome } from "../terms/command.ts";
import { openHostStore } from "../answering/open_host_store.ts";
import { readStdin } from "../streams/read_stdin.ts";
import { type BeginOptions, beginStoring, type Begun, type BegunStdin } from "./begin_storing.ts";
import type { CaptureWishes } from "./capture_options.ts";
import { storedResult } from "./stored_result.ts";

/**
 * Keeps what is held of stdin and all that follows it, and says what became of it: at once, where nothing follows and
 * nothing goes wrong.
 */
export function storeStdin(stdin: BegunStdin, wishes: CaptureWishes, host: Host): Outcome | Promise<Outcome> {
  const keep: BeginOptions = {
    held: stdin.held,
    openStore: () => openHostStore(host),
    put: {
      source: wishes.source ?? "stdin",
      pageSize: wishes.pageSize,
      maxBytes: wishes.maxBytes,
      durable: wishes.durable,
      cwd: host.cwd,
    },
  };
  const isLong = wishes.tee || stdin.unread.length > 0 || !(wishes.always || stdin.held.isOver());
  const begun = isLong ? undefined : beginStoring(keep);
  if (begun === undefined || begun.kind === "failed") return storeLongStdin(stdin, wishes, keep, begun);
  let nextBytes: number;
  try {
    // Where nothing has come, stdin has ended.
    nextBytes = stdin.held.isBegun() ? (stdin.read ?? readStdin)(begun.put.window()) : 0;
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return storeLongStdin({ ...stdin, unread: [thrown.failure] }, wishes, keep, begun);
  }
  if (nextBytes > 0 || wishes.name !== undefined || isSweepDue(begun.store, Date.now())) {
    return storeLongStdin(stdin, wishes, keep, begun, nextBytes);
  }
  let entry: FdEntry;
  try {
    entry = begun.put.seal();
  } catch (thrown) {
    const failed: Begun = { kind: "failed", thrown, storing: begun, unstored: undefined };
    return storeLongStdin(stdin, wishes, keep, failed, 0);
  }
  const news = { wishes, remarks: NO_REMARKS };
  const { answer, failures } = storedResult(begun.store, entry, news, begun.put.inMemory());
  return failures.length === 0 ? { exitCode: 0, answer } : { exitCode: 1, answer, failures };
}

const NO_REMARKS: readonly string[] = [];

/** The same for any stdin: see {@link StoreLong}. */
async function storeLongStdin(...asked: Parameters<StoreLong>): Promise<Outcome> {
  const { storeLong } = await import("./store_long_stdin.ts");
  return await storeLong(...asked);
}

type StoreLong = typeof import("./store_long_stdin.ts").storeLong;
