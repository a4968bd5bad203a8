/**
 * The calls that most black-box tests begin with: put these bytes into the store, get those back.
 */

import { Buffer } from "node:buffer";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { openStore, putBytes } from "../fd/mod.ts";
import { type JsonAnswer, jsonOf } from "./read_answer.ts";
import type { World } from "./world.ts";

/** Stores `content` whatever its size; answers the handle, `fd:N`. */
export async function store(
  world: World,
  content: string | Uint8Array,
  args: readonly string[] = [],
): Promise<string> {
  return handleIn(await storeAnswer(world, content, args));
}

/** Stores `content` whatever its size; answers the `fd_result` in json. */
export async function storeAnswer(
  world: World,
  content: string | Uint8Array,
  args: readonly string[] = [],
): Promise<JsonAnswer> {
  return jsonOf(await world.run(["capture", "--always", "--format", "json", ...args], { stdin: content }));
}

/** The handle that an answer is about. */
export function handleIn(answer: JsonAnswer, field = "fd"): string {
  const handle = answer[field];
  assert(typeof handle === "string" && /^fd:[1-9][0-9]*$/.test(handle), `${field} is a handle: ${handle}`);
  return handle;
}

/** Stores `count` fds of a number each, with names, without a process for each. */
export function fillStore(world: World, count: number, nameOf: (at: number) => string): void {
  const opened = openStore(world.store);
  for (let at = 1; at <= count; at++) {
    putBytes(opened, new TextEncoder().encode(`${at}\n`), { source: "stdin", names: [nameOf(at)] });
  }
}

/** All bytes of an fd. Of one that is not all that its writer wrote, that may be said, and nothing else. */
export async function wholeOf(world: World, fd: string): Promise<Uint8Array> {
  const finished = await world.run(["read", fd, "--all", "--format", "raw"]);
  assertEquals(finished.code, 0);
  assertMatch(finished.stderr, /^(fdtool: fd:[0-9]+ (is missing|is incomplete|is still live)\b.*\n)?$/);
  return finished.stdout;
}

/** Returns the answer of `stat` for an fd. */
export async function statOf(world: World, fd: string): Promise<JsonAnswer> {
  return jsonOf(await world.run(["stat", fd, "--format", "json"]));
}

/** The fds that `ls` shows, in its order. */
export async function listOf(world: World): Promise<JsonAnswer[]> {
  const answer = jsonOf(await world.run(["ls", "--format", "json"]));
  assertEquals(answer["type"], "fd_list");
  return answer["fds"] as JsonAnswer[];
}

/** The handles that `ls` shows, in its order. */
export async function handlesOf(world: World): Promise<unknown[]> {
  return (await listOf(world)).map((entry) => entry["fd"]);
}

/** The path of an fd's content file, as `$(fdtool path FD)` in a shell reads it. */
export async function contentFileOf(world: World, fd: string): Promise<string> {
  const finished = await world.run(["path", fd]);
  assertEquals([finished.code, finished.stderr], [0, ""]);
  return finished.text.replace(/\n$/, "");
}

/** The file that holds the content of an fd, and where in it the content starts, as fd/FORMAT.md describes both. */
export function contentPlaceOf(world: World, fd: string): { path: string; fromByte: number } {
  const id = Number(fd.slice(3));
  const stem = `${world.store}/v2/fds/${String(Math.floor(id / 1000)).padStart(4, "0")}/${id}`;
  const record = Deno.readFileSync(`${stem}.rec`);
  if (new TextDecoder().decode(record.subarray(0, 4)) !== "FDO2") return { path: `${stem}.dat`, fromByte: 0 };
  const header = new DataView(record.buffer);
  return { path: `${stem}.rec`, fromByte: 128 + header.getUint32(16, true) + header.getUint32(24, true) };
}

/** The hex sha-256 of `bytes`. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Asserts that two byte strings are the same, and says where they first differ. */
export function assertBytes(actual: Uint8Array, expected: Uint8Array, about = ""): void {
  if (Buffer.compare(actual, expected) === 0) return;
  const differing = actual.findIndex((byte, index) => byte !== expected[index]);
  const at = differing === -1 ? actual.length : differing;
  const near = (bytes: Uint8Array) =>
    JSON.stringify(new TextDecoder().decode(bytes.subarray(Math.max(0, at - 20), at + 40)));
  throw new Error(
    `${about}: bytes differ at ${at} (got ${actual.length} bytes, wanted ${expected.length}): ` +
      `got ${near(actual)}, wanted ${near(expected)}`,
  );
}
