// Promise: the hook leaves only commands alone that are nothing but calls of fdtool; whatever else prints is stored.

import { assertEquals } from "@std/assert";
import { isOwnCall } from "./own_call.ts";

const OWN = [
  "fdtool read fd:1 --lines 1-4000",
  "fdtool read fd:1 --lines 1-4000; exit 3",
  "  /opt/bin/fdtool search fd:1 'a|b; c' -C 2 2>&1",
  'fdtool search fd:1 "a \\"b\\" # c"',
  "cd src && fdtool read fd:1",
  "FDTOOL_FORMAT=json fdtool ls # all",
  "fdtool read fd:1 \\\n  --all\nfdtool read fd:2 >/dev/null",
  '"/a b/fdtool" read fd:1',
  "/opt/fdtool-linux-x64 read fd:1",
  "fdtool --store x read fd:1 < /dev/null || true",
  "fdtool search fd:1 fork",
  "fdtool run -- make",
  "fdtool read fd:1#2",
  'fdtool read $FD --name "${NAME}"',
];

const OTHERS = [
  "seq 1 20000 # fdtool",
  "seq 1 20000 # ; fdtool ls",
  "fdtool ls; seq 1 20000",
  "fdtool ls && make",
  "make\nfdtool ls",
  "fdtool read fd:1 | cat",
  "make | fdtool capture",
  "fdtool read $(seq 1 20000)",
  "$FDTOOL read fd:1",
  'fdtool read "$(seq 1 20000)"',
  "fdtool read `seq 1 20000`",
  "fdtool ls & seq 1 20000",
  "(fdtool ls; make)",
  "{ fdtool ls; }",
  "fdtool ls <<EOF\nx\nEOF",
  "fdtool fork -- make",
  "fdtool --store x spawn -- make",
  "echo fdtool",
  "fdtool-linux-x64/build",
  "grep fdtool log",
  "./not-fdtool read",
  "for f in a; do fdtool ls; done",
  "fdtool ls >(cat)",
  "fdtool 'unclosed",
  "exit 3",
  "",
];

Deno.test("only commands that are nothing but calls of fdtool are its own", () => {
  for (const command of OWN) assertEquals([command, isOwnCall(command)], [command, true]);
  for (const command of OTHERS) assertEquals([command, isOwnCall(command)], [command, false]);
});

Deno.test("time is linear in a long command", () => {
  assertEquals(isOwnCall(`fdtool read fd:1 ${"'a b' ".repeat(200_000)}`), true);
  assertEquals(isOwnCall(`fdtool read fd:1 ${"(".repeat(1_000_000)}`), false);
});
