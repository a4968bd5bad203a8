// Promise: however stdin arrives, capture stores the same fd and gives the same answer. Input that arrives whole takes
// a shorter path than input that is long, comes in pieces, or exceeds the size limit.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  findFd,
  openContent,
  openStore,
  readIn,
  readWhole,
  type Store,
  sweepSometimes,
} from "../../fd/mod.ts";
import { anyContent, anyPageSize, PATTERNS, repeatedTo } from "../../tests/contents.ts";
import { failEachCall } from "../../tests/failing_disk.ts";
import type { FdResult } from "../calls/terms/answers.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";
import { streamCalls } from "../calls/streams/standard_streams.ts";
import { type CaptureOptions, parseCaptureOptions, PREVIEW_KINDS } from "./capture_options.ts";
import { captureStdin } from "./capture_stdin.ts";
import type { Input } from "./store_output.ts";

const OPTIONS: CaptureOptions = { ...parseCaptureOptions("capture", { preview: "page" }), always: true };

/** Two stores with equal histories, so that their ids are equal. */
interface Pair extends Disposable {
  host(which: 0 | 1): Host;
}

function hostOf(directory: string): Host {
  return {
    env: { FDTOOL_STORE: `${directory}/store` },
    cwd: "/",
    storeOption: undefined,
    root: undefined,
    version: "0",
    operations: () => [],
  };
}

function twoStores(): Pair {
  const directories = [0, 1].map(() => Deno.realPathSync(Deno.makeTempDirSync()));
  return {
    host: (which) => hostOf(directories[which]!),
    [Symbol.dispose]: () => directories.forEach((each) => Deno.removeSync(each, { recursive: true })),
  };
}

function readOnce(content: Uint8Array): Input {
  let isRead = false;
  const read = (into: Uint8Array) => {
    if (isRead) return 0;
    isRead = true;
    into.set(content);
    return content.length;
  };
  return { read, readNow: read };
}

/** Stores `content` in pieces that end at `cuts`. */
async function stored(content: Uint8Array, cuts: readonly number[], options: CaptureOptions, host: Host) {
  const ends = [...new Set([...cuts, content.length])].filter((end) => end > 0 && end <= content.length)
    .sort((one, other) => one - other);
  let at = 0;
  const read = (into: Uint8Array): number => {
    const end = ends.find((each) => each > at) ?? content.length;
    const piece = content.subarray(at, Math.min(end, at + into.length));
    into.set(piece);
    at += piece.length;
    return piece.length;
  };
  // Input that comes in pieces pauses after some.
  const readNow = (into: Uint8Array) => ends.length > 1 && at % 2 === 1 ? undefined : read(into);
  const outcome: Outcome = await captureStdin(options, host, { read, readNow });
  assertEquals([outcome.exitCode, outcome.failures ?? []], [0, []]);
  return shown(outcome.answer as FdResult, openStore(host.env["FDTOOL_STORE"]!));
}

/** An answer and its fd without time and path, which differ. */
function shown(answer: FdResult, store: Store) {
  const entry = findFd(store, answer.fd);
  const content = openContent(store, entry);
  try {
    return {
      answer: {
        ...answer,
        preview: answer.preview.map((part) => "body" in part ? [part.lines, readWhole(part.body)] : part),
      },
      // Whether the input paused decides where the content is.
      entry: { ...entry, contentPath: "", createdMs: 0, inRecord: undefined },
      content: readWhole(readIn(store, content, { fromByte: 0, toByte: entry.byteCount })),
      blocks: Array.from({ length: content.index.blockCount }, (_, block) => content.index.at(block)),
    };
  } finally {
    content.close();
  }
}

const anyCuts = fc.array(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 80_000 })), {
  maxLength: 4,
});

Deno.test("any content gives the same fd and answer in one piece and in several", async () => {
  using pair = twoStores();
  await fc.assert(
    fc.asyncProperty(
      anyContent,
      anyCuts,
      anyPageSize,
      fc.constantFrom(...PREVIEW_KINDS),
      fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 50_000 })),
      async (content, cuts, pageSize, preview, maxBytes) => {
        const options = { ...OPTIONS, pageSize, preview, previewChars: pageSize, maxBytes };
        const whole = await stored(content, [], options, pair.host(0));
        assertEquals(await stored(content, cuts, options, pair.host(1)), whole);
        if (maxBytes === undefined) assertEquals(whole.content, content);
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("contents about as long as a block, which is what stays in memory, give the same fd in one piece and in several", async () => {
  using pair = twoStores();
  for (const pattern of Object.values(PATTERNS)) {
    for (const byteCount of [0, 1, 32_767, 32_768, 32_769, 65_536, 65_537]) {
      const content = repeatedTo(byteCount, pattern);
      const whole = await stored(content, [], OPTIONS, pair.host(0));
      assertEquals(await stored(content, [1, 32_768], OPTIONS, pair.host(1)), whole);
      assertEquals(whole.content, content);
    }
  }
});

Deno.test("whichever disk call of a short capture fails, the fd is complete, or all bytes are forwarded and a failure is reported (law 6)", async () => {
  const content = repeatedTo(400, PATTERNS["CJK"]!);
  const realWrite = streamCalls.write;
  let forwarded: number[] = [];
  let directory = "";
  streamCalls.write = ((_: number, bytes: Uint8Array, offset: number, length: number) => {
    forwarded.push(...bytes.subarray(offset, offset + length));
    return length;
  }) as typeof realWrite;
  try {
    const tried = await failEachCall({
      async prepare() {
        directory = Deno.realPathSync(Deno.makeTempDirSync());
        forwarded = [];
        // The store was just cleaned, so no sweep adds disk calls.
        await sweepSometimes(openStore(`${directory}/store`), Date.now());
      },
      action() {
        return captureStdin(OPTIONS, hostOf(directory), readOnce(content));
      },
      afterwards({ hit, result, thrown }) {
        const what = `${hit.member} ${hit.callNumber} ${hit.fault}`;
        assertEquals(thrown, undefined, what);
        const { answer, failures = [] } = result!;
        if (answer?.type === "fd_result") {
          assertEquals(shown(answer, openStore(`${directory}/store`)).content, content, what);
        } else {
          assertEquals(Uint8Array.from(forwarded), content, what);
          assert(failures.length > 0, what);
        }
        Deno.removeSync(directory, { recursive: true });
      },
    });
    assert(tried > 50, `${tried} calls were made to fail`);
    Deno.removeSync(directory, { recursive: true });
  } finally {
    streamCalls.write = realWrite;
  }
});
