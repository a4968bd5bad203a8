// Promise: fdtool finds the signals that it was started to ignore.

import { assertEquals } from "@std/assert";
import { ignoredIn, PASSED_ON, signalNumber } from "./signals.ts";

const status = (mask: string) => () => `Name:\tfdtool\nSigIgn:\t${mask}\n`;

Deno.test("of ignored signals, those count that the runtime does not ignore in any case", () => {
  assertEquals([...ignoredIn(status("0000000000000001"))], ["SIGHUP"]);
  assertEquals([...ignoredIn(status("0000000001001000"))], []);
  assertEquals([...ignoredIn(status("0000000009203001"))].sort(), [
    "SIGALRM",
    "SIGHUP",
    "SIGTTOU",
    "SIGWINCH",
  ]);
});

Deno.test("every signal that is passed on has a number", () => {
  for (const signal of PASSED_ON) assertEquals(signalNumber(signal) > 0, true, signal);
});
