/**
 * Reads stdin where little of it is expected: most input has come whole with the first read.
 *
 * @module
 */

import { FdError, type FdFailure } from "../../fd/mod.ts";
import { readStdin } from "../streams/read_stdin.ts";
import type { HeldOutput } from "./held_output.ts";

const MOST_READS = 2;

/**
 * Reads stdin into `held` until it ends or `isEnough`, if few reads will do, and answers why it could not be read to
 * there, if that is so; undefined where more is to be read.
 */
export function takeShortStdin(held: HeldOutput, isEnough: () => boolean): FdFailure[] | undefined {
  try {
    for (let reads = 0; reads < MOST_READS; reads++) {
      const byteLength = readStdin(held.window());
      held.accept(byteLength);
      if (byteLength === 0 || isEnough()) return [];
    }
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return [thrown.failure];
  }
}
