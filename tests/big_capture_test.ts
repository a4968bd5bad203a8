/**
 * Law 10 at a size that tests can afford: 64 MiB through a pipe, and correct reads near its end; and the runtime's other
 * threads give way to the process that writes the stream.
 */

import { assert, assertEquals } from "@std/assert";
import { repeatedTo } from "./contents.ts";
import { encode, jsonOf } from "./read_answer.ts";
import { sha256Of, statOf } from "./store_calls.ts";
import { makeWorld } from "./world.ts";

/** Lines of 64 bytes that say their own number; one in sixteen is of CJK, so that chars are not bytes. */
function row(number: number): string {
  if (number % 16 !== 0) return `${String(number).padStart(10)} ${"build output ".repeat(4)}\n`;
  return `${String(number).padStart(10)} ${"漢".repeat(17)}.\n`;
}

const ROW_BYTES = 64;
const ROWS = 1_048_576;

Deno.test("big: 64 MiB are stored byte for byte, and read from near the end", async () => {
  using world = makeWorld();
  const sixteen = Array.from({ length: 16 }, (_, at) => row(at + 1)).join("");
  const content = repeatedTo(ROWS * ROW_BYTES, encode(sixteen));
  const chars = ROWS / 16 * sixteen.length;
  for (let number = 17; number <= ROWS; number++) {
    let at = (number - 1) * ROW_BYTES + 9;
    for (let rest = number; rest > 0; rest = Math.floor(rest / 10)) content[at--] = 0x30 + rest % 10;
  }
  const answer = jsonOf(await world.run(["capture", "--format", "json"], { stdin: content }));
  assertEquals(
    [answer["fd"], answer["bytes"], answer["chars"], answer["total_lines"]],
    ["fd:1", content.length, chars, ROWS],
  );

  const read = async (...args: string[]) => {
    const finished = await world.run(["read", "fd:1", ...args, "--format", "raw"]);
    assertEquals([finished.code, finished.stderr], [0, ""], args.join(" "));
    return finished.text;
  };
  const rowsFrom = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, i) => row(first + i)).join("");
  assertEquals(await read("--lines", `${ROWS - 20}-${ROWS - 16}`), rowsFrom(ROWS - 20, ROWS - 16));
  assertEquals(await read("--mode", "line", "--tail", "3"), rowsFrom(ROWS - 2, ROWS));
  assertEquals(await read("--lines", "524288-524290"), rowsFrom(524288, 524290));
  assertEquals(await read("--mode", "char", "--tail", "200"), rowsFrom(ROWS - 20, ROWS).slice(-200));
  assertEquals(
    await read("--chars", `${chars - 150}-${chars - 1}`),
    rowsFrom(ROWS - 20, ROWS).slice(-150),
  );
  const pages = Number(answer["pages"]);
  const lastPages = await read("--pages", `${pages - 1}-${pages}`);
  assert(rowsFrom(ROWS - 400, ROWS).endsWith(lastPages) && lastPages.length > 4000);
  assertEquals(await read("--mode", "page", "--tail", "2"), lastPages);

  assertEquals((await statOf(world, "fd:1"))["sha256"], await sha256Of(content));
  const copied = await world.shell(
    "fdtool to-file fd:1 copy && fdtool read fd:1 --all --format raw | cmp - copy",
  );
  assertEquals([copied.code, copied.stderr], [0, ""]);
  assertEquals(await sha256Of(world.bytes("copy")), await sha256Of(content));
});

/** The nice value of a thread. */
function niceOf(pid: number, thread: string): number {
  const stat = Deno.readTextFileSync(`/proc/${pid}/task/${thread}/stat`);
  // Field 19; the second, the name, may hold spaces, and ends with the last parenthesis.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
}

Deno.test({
  name: "big: while a stream comes in, other threads than the one that reads have a low priority",
  ignore: Deno.build.os !== "linux",
}, async () => {
  using world = makeWorld();
  const { child, finished } = world.start(["capture"]);
  const ownNice = niceOf(Deno.pid, String(Deno.pid));
  const writer = child.stdin.getWriter();
  // Once this is written, all of it but what a pipe holds was read.
  const mebibyte = new TextEncoder().encode(row(1).repeat(16_384));
  for (let count = 0; count < 48; count++) await writer.write(mebibyte);
  const nices = [...Deno.readDirSync(`/proc/${child.pid}/task`)]
    .map(({ name }) => ({ reads: name === String(child.pid), nice: niceOf(child.pid, name) }));
  await writer.close();
  assertEquals((await finished).code, 0);
  assertEquals(nices.filter(({ reads }) => reads).map(({ nice }) => nice), [ownNice]);
  assert(nices.some(({ reads, nice }) => !reads && nice === 10), JSON.stringify(nices));
});
