// Promise: fdtool finds the signals it was started to ignore by number, and a signal without a number is not ignored.

import { assertEquals } from "@std/assert";
import { ignoredSignals, PASSED_ON, signalNumber } from "./signals.ts";

const status = (mask: string) => () => `Name:\tfdtool\nSigIgn:\t${mask}\n`;

Deno.test("a signal without a number on this system does not make run fail", () => {
  const numbers: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 };
  const ignored = ignoredSignals(status("ffffffffffffffff"), (signal) => numbers[signal]);
  assertEquals([...ignored].sort(), ["SIGHUP", "SIGINT", "SIGTERM"]);
  assertEquals([...ignoredSignals(status("0000000000000001"))], ["SIGHUP"]);
});

Deno.test("every signal that is passed on has a number", () => {
  for (const signal of PASSED_ON) assertEquals(signalNumber(signal) > 0, true, signal);
});
