/**
 * Shared by the classes that try the binary: its path, the system's abilities, and checks of results.
 */

import { assertEquals } from "@std/assert";
import { listOf, wholeOf } from "../../tests/store_calls.ts";
import { type Finished, programUnderTest, type World } from "../../tests/world.ts";
import { LEFT_BY_FAULTS, must, sameBytes } from "./inner_world.ts";

/** Why the binary cannot be tried; undefined if it can. */
export function noBinary(): string | undefined {
  return programUnderTest().length === 1 ? undefined : "it tries the binary: set FDTOOL to its path";
}

/** Whether `program` runs here with `args`. */
export function runsHere(program: string, ...args: string[]): boolean {
  try {
    return new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "null" }).outputSync()
      .success;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return false;
    throw thrown;
  }
}

/** Kills a process with SIGKILL after `ms`, unless it has ended by then. Returns what calls that off. */
export function killAfter(child: Deno.ChildProcess, ms: number): () => void {
  const timer = setTimeout(() => {
    try {
      child.kill("SIGKILL");
    } catch (thrown) {
      // A process that has already ended cannot be killed.
      if (!(thrown instanceof TypeError)) throw thrown;
    }
  }, ms);
  return () => clearTimeout(timer);
}

/** Throws unless `finished` ended by itself, with success or one typed failure and no stack trace. */
export function assertTyped(finished: Finished, about: string): void {
  const { code, signal, stderr } = finished;
  must(signal === undefined && code < 128, () => `${about}: ended by ${signal ?? code}: ${stderr}`);
  must(
    !/^\s+at .+[:(]\d+|internal_error|Internal error|panic|Segmentation/m.test(stderr),
    () => `${about}: ${stderr}`,
  );
  if (code !== 0) must(stderr !== "" || finished.text !== "", () => `${about}: code ${code} without a word`);
}

/** Throws unless every fd is right (a prefix of one of `known` if incomplete) and `verify` finds no damage. */
export async function assertStoreHolds(
  world: World,
  about: string,
  known: (fd: string, held: Uint8Array) => Uint8Array | undefined,
): Promise<void> {
  const first = await world.run(["verify"]);
  const verified = first.code === 0 ? first : await world.run(["verify"]);
  // A full disk leaves a truncated record line; it is reported, and nothing depends on it.
  const damage = [...verified.text.matchAll(/problem="([a-z_]+)"[^>]*repaired="false"/g)]
    .map(([, problem]) => problem!).filter((problem) => !LEFT_BY_FAULTS.has(problem));
  assertEquals(damage, [], `${about}: ${verified.text}${verified.stderr}`);
  for (const entry of await listOf(world)) {
    const fd = String(entry["fd"]);
    const held = await wholeOf(world, fd);
    const right = known(fd, held);
    if (right === undefined) continue;
    const wanted = entry["state"] === "sealed" ? right : right.subarray(0, held.length);
    must(
      sameBytes(held, wanted),
      () => `${about}: ${fd} (${entry["state"]}) holds ${held.length} bytes that are not what was stored`,
    );
  }
}
