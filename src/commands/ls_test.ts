// Promise: ls is newest last, bounded, and says what it leaves out (contract, Commands and 5, law 7).

import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { bindName, findFd, putBytes, removeFd } from "../../fd/mod.ts";
import { inWorld, type World } from "../../tests/command_world.ts";
import { nextLine } from "../../tests/sample_answers.ts";
import { UsageError } from "../calls/requests/usage_failure.ts";
import { command } from "./ls.ts";

async function list(world: World, ...words: string[]) {
  const { answer } = await world.run(command, ...words);
  assert(answer?.type === "fd_list");
  return answer;
}

Deno.test("an empty store has an empty list, and says which store it is", () =>
  inWorld(async (world) => {
    assertEquals(await list(world), {
      type: "fd_list",
      total: 0,
      message: `The store ${world.store.path} is empty. To keep what a command prints: fdtool run -- COMMAND`,
      next: undefined,
      fds: [],
    });
  }));

Deno.test("the newest are shown last, with their names; the others are counted", () =>
  inWorld(async (world) => {
    for (const text of ["one", "two\n", "three"]) putBytes(world.store, Buffer.from(text), { source: text });
    bindName(world.store, "b", 3);
    bindName(world.store, "a", 3);
    const { fds, total, message, next } = await list(world, "--limit", "2");
    assertEquals(fds.map(({ fd, names }) => [fd, names]), [["fd:2", []], ["fd:3", ["a", "b"]]]);
    assertEquals([total, message, nextLine(next)], [3, "Showing the newest 2 of 3 fds.", "fdtool ls --all"]);
    assertEquals((await list(world, "--all")).fds.length, 3);
    const { created: _, ...first } = (await list(world)).fds[0]!;
    assertEquals(first, {
      fd: "fd:1",
      state: "sealed",
      source: "one",
      bytes: 3,
      disk_bytes: undefined,
      chars: 3,
      total_lines: 1,
      pages: 1,
      names: [],
    });
    for (const words of [["--limit", "0"], ["--limit", "3", "--all"]]) {
      await assertRejects(() => list(world, ...words), UsageError);
    }
  }));

Deno.test("a chosen list is the same whether fds are read from listings or from records", () =>
  inWorld(async (world) => {
    const here = dirname(world.store.path);
    const cwds = [here, `${here}/größe "x"`, `${here}-not`, undefined];
    const commands = [["make", "größe"], ["sh", "-c", 'echo "a\\n"'], ["日本", "語"], undefined];
    for (let made = 0; made < 400; made++) {
      // Parts of the listing differ in what they have.
      const at = Math.floor(made / 90);
      const [cwd, command] = [cwds[(at + made % 2) % 4], commands[(at + made % 3) % 4]];
      const exitCode = command && (at % 2 === 0 ? 0 : made % 5);
      const signal = made === 250 ? "SIGTERM" : undefined;
      putBytes(world.store, Buffer.from("a\n"), { source: `s${at}`, cwd, command }, { exitCode, signal });
    }
    const listing = join(world.store.path, "v2", "fds", "0000.listing");
    for (
      const words of [
        ...[["--failed"], ["--here"], ["--since", "1h"], ["s1"], ["größe"], ["make größe"], ['"a\\n"'], [
          "本 語",
        ]],
        ...[["--failed", "--here"], ["--failed", "größe"], ["--since", "0s"], ["SIGTERM"], ["createdMs"], [
          "s9",
        ]],
      ]
    ) {
      const listed = await list(world, ...words, "--all");
      assert(existsSync(listing));
      Deno.removeSync(listing);
      assertEquals(await list(world, ...words, "--all"), listed, words.join(" "));
      if (!["s9", "SIGTERM", "createdMs", "0s"].includes(words.at(-1)!)) {
        assertNotEquals(listed.fds, [], words.join(" "));
      }
    }
  }));

Deno.test("what was removed is listed with when and why", () =>
  inWorld(async (world) => {
    for (const text of ["one", "two"]) putBytes(world.store, Buffer.from(text), { source: text });
    const gone = await removeFd(world.store, findFd(world.store, "fd:1"), "in the way");
    const { fds, total } = await list(world, "--removed");
    assertEquals([total, fds.length], [1, 1]);
    const { fd, state, source, bytes, why, sha256 } = fds[0]!;
    assertEquals([fd, state, source, bytes, why, sha256], [
      "fd:1",
      "removed",
      "one",
      3,
      "in the way",
      gone.sha256,
    ]);
  }));
