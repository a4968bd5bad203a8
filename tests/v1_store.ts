/**
 * The store of format version 1 in `tests/stores/v1.tar.gz`, which an older binary made (`tests/stores/make_v1.sh`), with
 * the users' files of its journal.
 */

import { gunzipSync } from "node:zlib";
import { dirname, join } from "node:path";
import { blockSumText } from "../fd/bytes/block_sum.ts";
import { CHECKOUT } from "./world.ts";

/** Directory of the users' files when the store was made. */
const MADE_IN = "/tmp/fdtool-v1/files";

/** A file or directory of the archive. */
interface Member {
  path: string;
  mode: number;
  /** Seconds since 1970. */
  mtime: number;
  /** Undefined for a directory. */
  bytes: Uint8Array<ArrayBuffer> | undefined;
}

const MEMBERS: readonly Member[] = membersOf(
  new Uint8Array(gunzipSync(Deno.readFileSync(join(CHECKOUT, "tests/stores/v1.tar.gz")))),
);

/** The contents of the store's fds, by number. */
export const V1_CONTENTS: ReadonlyMap<number, Uint8Array> = new Map(
  MEMBERS.flatMap(({ path, bytes }) => {
    const id = /fds\/0000\/([0-9]+)\.dat$/.exec(path)?.[1];
    return id === undefined || bytes === undefined ? [] : [[Number(id), bytes] as const];
  }),
);

/** Answers of the older binary, by command. */
export const V1_ANSWERS: Readonly<Record<string, unknown>> = JSON.parse(
  Deno.readTextFileSync(join(CHECKOUT, "tests/stores/v1.json")),
);

/** Reads a tar archive as GNU tar writes it of short names. */
function membersOf(tar: Uint8Array<ArrayBuffer>): Member[] {
  const members: Member[] = [];
  for (let at = 0; tar[at] !== 0;) {
    const field = (from: number, length: number) =>
      new TextDecoder().decode(tar.subarray(at + from, at + from + length)).replace(/\0.*$/s, "");
    const byteCount = parseInt(field(124, 12), 8);
    const isFile = field(156, 1) === "0";
    const bytes = isFile ? tar.slice(at + 512, at + 512 + byteCount) : undefined;
    members.push({
      path: field(0, 100),
      mode: parseInt(field(100, 8), 8),
      mtime: parseInt(field(136, 12), 8),
      bytes,
    });
    at += 512 + Math.ceil(byteCount / 512) * 512;
  }
  return members;
}

/** The journal has absolute paths, so its lines get those of `files`, and their sums. */
function moved(bytes: Uint8Array<ArrayBuffer>, files: string): Uint8Array<ArrayBuffer> {
  const lines = new TextDecoder().decode(bytes).split("\n").map((line) => {
    if (!line.includes(MADE_IN)) return line;
    const json = line.slice(9).replaceAll(MADE_IN, files);
    return `${blockSumText(new TextEncoder().encode(json))} ${json}`;
  });
  return new TextEncoder().encode(lines.join("\n"));
}

/** Writes the store to the new directory `store`, and the users' files into `files`. */
export function layV1Store(store: string, files: string): void {
  // Long enough ago that the writer of the killed captures, perhaps on another machine, counts as dead.
  const written = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);
  for (const { path, mode, mtime, bytes } of MEMBERS) {
    const [, tree, name] = /^(store|files)\/(.*)$/.exec(path)!;
    const target = join(tree === "store" ? store : files, name!);
    if (bytes === undefined) {
      Deno.mkdirSync(target, { recursive: true });
    } else {
      Deno.mkdirSync(dirname(target), { recursive: true });
      Deno.writeFileSync(target, name!.endsWith(".rec") ? moved(bytes, files) : bytes);
      // The date of a name is that of its file.
      const date = name!.startsWith("v1/refs/") ? mtime : written;
      Deno.utimeSync(target, date, date);
    }
    Deno.chmodSync(target, mode);
  }
}
