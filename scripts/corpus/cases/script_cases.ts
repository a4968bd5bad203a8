/** Perl, Tcl, Ruby, PHP, Lua and shell. */

import { manyFiles, repeat, word, type WrittenCase } from "../corpus_case.ts";

export const SCRIPT_CASES: readonly WrittenCase[] = [
  {
    name: "prove-one-not-ok-among-1500",
    facts: ["not ok 18 - bulk discount", "#          got: '50000'", "#     expected: '47500'"],
    files: () =>
      manyFiles(30, "t/*.t", (name) =>
        `use Test::More;\n` +
        repeat(50, (part, at) =>
          name === "coupon" && at === 17
            ? `is(1250 * 40, 47500, "bulk discount");`
            : `is(${at} * 2, ${at * 2}, "${name} doubles ${part}");`) +
        `\ndone_testing();\n`),
    command: "prove -v --color t",
  },
  {
    name: "prove-passes-verbosely",
    sound: true,
    facts: ["Result: PASS"],
    files: () =>
      manyFiles(
        30,
        "t/*.t",
        (name) =>
          `use Test::More;\n` +
          repeat(40, (part, at) => `is(${at} * 2, ${at * 2}, "${name} doubles ${part}");`) +
          `\ndone_testing();\n`,
      ),
    command: "prove -v t",
  },
  {
    name: "tcltest-one-failed",
    facts: ["==== freight-17", "---- Result was:", "50000", "---- Result should have been"],
    files: () => ({
      "all.tcl":
        `package require tcltest\nnamespace import ::tcltest::*\nconfigure -verbose {body pass error start}\n` +
        repeat(
          300,
          (part, at) => `test ${word(at % 60)}-${at} {doubles ${part}} {expr {${at} * 2}} ${at * 2}`,
        ) +
        `\n` + `test freight-17 {bulk discount} {expr {1250 * 40}} 47500\n` +
        repeat(
          300,
          (part, at) => `test ${word(at % 60)}-${at + 300} {doubles ${part}} {expr {${at} * 2}} ${at * 2}`,
        ) + `\ncleanupTests\n`,
    }),
    command: "tclsh all.tcl",
  },
];
