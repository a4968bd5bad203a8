/** The pipes that a Linux binary is started with, and the state that the runtime hides (scripts/launcher/launch.c). */

import { fstatSync, readSync } from "node:fs";
import process from "node:process";
import { areOneFile } from "./standard_streams.ts";

export interface OutputPipe {
  readEnd: number;
  writeEnd: number;
}

let ready: { pipes: OutputPipe[]; state: number } | undefined;

function readyOnes() {
  if (ready !== undefined) return ready;
  const pipes = process.versions["bun"] === undefined ? [] : [200, 202].flatMap((readEnd) => {
    const writeEnd = readEnd + 1;
    return areOneFile(readEnd, writeEnd) && fstatSync(readEnd).isFIFO() ? [{ readEnd, writeEnd }] : [];
  });
  const byte = new Uint8Array(1);
  if (pipes[0]?.readEnd === 200) readSync(200, byte, 0, 1, null);
  return ready = { pipes, state: byte[0]! };
}

/** The pipes that are not used yet. Remove those that you use. */
export function readyPipes(): OutputPipe[] {
  return readyOnes().pipes;
}

/** Those of stdin, stdout and stderr that were closed: the runtime opens them. */
export function closedStreams(): number[] {
  return [0, 1, 2].filter((stream) => readyOnes().state & 1 << stream);
}

/** SIGPIPE and SIGXFSZ in a mask of signals. */
const [PIPE, XFSZ] = [1 << 12, 1 << 24];

/** The signals that the runtime ignores in any case. */
export const RUNTIME_IGNORES = PIPE | XFSZ;

/** Those of them that were ignored before it started. */
export function ignoredBefore(): number {
  const { state } = readyOnes();
  return (state & 8 && PIPE) | (state & 16 && XFSZ);
}
