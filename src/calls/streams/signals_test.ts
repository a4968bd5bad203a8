// Promise: fdtool finds the signals it was started to ignore by number, and a signal without a number is not ignored.

import { assertEquals } from "@std/assert";
import { ignoredIn, PASSED_ON, signalNumber } from "./signals.ts";

const status = (mask: string) => () => `Name:\tfdtool\nSigIgn:\t${mask}\n`;

Deno.test("a signal without a number on this system does not make run fail", () => {
  const numbers: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 };
  const ignored = ignoredIn(status("ffffffffffffffff"), (signal) => numbers[signal]);
  assertEquals([...ignored].sort(), ["SIGHUP", "SIGINT", "SIGTERM"]);
  assertEquals([...ignoredIn(status("0000000000000001"))], ["SIGHUP"]);
});

Deno.test("every signal that is passed on has a number", () => {
  for (const signal of PASSED_ON) assertEquals(signalNumber(signal) > 0, true, signal);
});
