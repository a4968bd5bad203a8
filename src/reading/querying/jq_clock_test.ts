/**
 * Promise: dates are those of jq 1.8.2 on Linux in UTC, over the whole range of years, and errors where jq has errors. Its
 * results were recorded with the package jq 1.13.0 of PyPI, which has jq 1.8.2.
 */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { breakDownTime, secondsOf, TM_WORDS } from "./jq_clock.ts";
import { runJq } from "./run_jq.ts";

/** Filters over null and what jq makes of them; undefined: an error. */
const RESULTS: readonly (readonly [filter: string, result: string | undefined])[] = [
  [`"0001-01-01T00:00:00Z"|fromdate`, `-62135596800`],
  [`"0099-12-31T23:59:60Z"|fromdate`, `-59011459200`],
  [`"9999-12-31T23:59:59Z"|fromdate`, `253402300799`],
  [`1700000000000000|gmtime`, `[53872825,5,17,22,13,20,2,167]`],
  [`-67768040609740800|gmtime`, `[-2147481748,0,1,0,0,0,4,0]`],
  [`67768036191676000|gmtime|mktime`, `-67768040578119200`],
  [`-62167219201|gmtime`, `[-1,11,31,23,59,59,5,364]`],
  [`253402300800|gmtime|mktime`, `253402300800`],
  [`-1.5|gmtime`, `[1969,11,31,23,59,59.5,3,364]`],
  [`1425599507|todate`, `"2015-03-05T23:51:47Z"`],
  [`951782400|strftime("%Y %G %V %U %j %a %s")`, `"2000 2000 09 09 060 Tue 951782400"`],
  [`[2024,14,40,30,70,80,0,0]|mktime`, `1744269080`],
  [`[-500,-7,1,0,0,-5,0,0]|mktime`, `-77964163205`],
  [`[1e12,0,1,0,0,0,0,0]|mktime`, `67768036160140800`],
  [`"2020-13-01T00:00:00Z"|fromdate`, undefined],
  [`"2020-00-01T00:00:00Z"|fromdate`, undefined],
  [`"2020-01-32T00:00:00Z"|fromdate`, undefined],
  [`"2020-01-01T24:00:00Z"|fromdate`, undefined],
  [`"10000-01-01T00:00:00Z"|fromdate`, undefined],
  [`"1969-12-31T23:59:59Z"|fromdate`, undefined],
  [`1e18|todate`, undefined],
  [`-1e18|gmtime`, undefined],
  [`1e300|todate`, undefined],
  [`"2020-02-31"|strptime("%Y-%m-%d")`, `[2020,1,31,0,0,0,1,61]`],
  [`"2020 100"|strptime("%Y %j")`, `[2020,3,9,0,0,0,4,99]`],
  [`"Mon Feb  5 01:02:03 2024"|strptime("%c")`, `[2024,1,5,1,2,3,1,35]`],
  [`"12:00 AM"|strptime("%I:%M %p")`, `[1900,0,0,0,0,0,8,367]`],
  [`"1:2:3 pm"|strptime("%r")`, `[1900,0,0,13,2,3,8,367]`],
  [`"13 PM"|strptime("%I %p")`, undefined],
  [`"2024-10-3"|strptime("%Y-%W-%u")`, `[2024,2,6,0,0,0,3,65]`],
  [`"19 99"|strptime("%C %y")`, `[1999,0,0,0,0,0,4,-1]`],
  [`"1700000000"|strptime("%s")`, `[2023,10,14,22,13,20,2,317]`],
  [`"5 february 68 -02:30"|strptime("%e %b %y %z")`, `[2068,1,5,0,0,0,0,35]`],
  [`"05 feb 69 EST"|strptime("%d %B %y %Z")`, `[1969,1,5,0,0,0,3,35]`],
  [`"1 +5"|strptime("%d %z")`, undefined],
  [`"5"|strptime("%Ed")`, undefined],
  [`"2024x"|strptime("%Y")`, undefined],
  [`"2024 "|strptime("%Y")`, `[2024,0,0,0,0,0,0,-1," "]`],
];

Deno.test("dates are read, written and computed as jq does on Linux", () => {
  for (const [filter, result] of RESULTS) {
    let output = "";
    let messages = "";
    const end = runJq({
      nowMs: 0,
      memoryBytes: 2 ** 30,
      args: ["-c", "--", filter],
      input: [new TextEncoder().encode("null")],
      output: (bytes) => output += new TextDecoder().decode(bytes),
      message: (bytes) => messages += new TextDecoder().decode(bytes),
    });
    assertEquals([end, output.trimEnd()], [
      { kind: "exited", code: result === undefined ? 5 : 0 },
      result ?? "",
    ], filter + messages);
  }
});

Deno.test("a time broken down is the same time again, in any year", () => {
  const seconds = fc.bigInt({ min: -67_768_040_609_740_800n, max: 67_768_036_191_676_799n });
  fc.assert(fc.property(seconds, (second) => {
    const tm = new Int32Array(TM_WORDS);
    breakDownTime(second, tm);
    assertEquals(secondsOf(tm), second);
  }));
});
