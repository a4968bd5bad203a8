// Promise: with `diff --ignore-times`, lines that differ only in times and durations are equal, and no others.

import { assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { type Ignored, NOTHING_IGNORED, VOLATILE, withoutIgnored } from "./ignored_text.ts";

const NOTHING = NOTHING_IGNORED;
const times = (line: string) => withoutIgnored(line, { ...NOTHING, times: true });

Deno.test("lines that differ only in times are equal", () => {
  const pairs = [
    ["2026-11-22T01:33:34Z start", "2025-01-02T23:59:59.123+02:00 start"],
    ["[2026-11-22 01:33:34,123] INFO up", "[2026-11-23 11:03:04,9] INFO up"],
    ["2026/11/22 01:33:34 main.go:12: up", "2026/11/23 02:00:00 main.go:12: up"],
    ["built on 2026-11-22", "built on 2026-12-01"],
    ["Nov 22 01:33:34 host sshd[1]: up", "Dec  2 13:03:00 host sshd[1]: up"],
    ["Sun Nov 22 01:33:34 UTC 2026", "Mon Dec  7 11:22:33 UTC 2026"],
    ['- [22/Nov/2026:01:33:34 +0000] "GET /"', '- [01/Dec/2026:23:00:00 +0100] "GET /"'],
    ["Sun, 22 Nov 2026 01:33:34 GMT", "Tue, 1 Dec 2026 10:00:00 GMT"],
    ["01:33:34 start", "23:10:00.5 start"],
    ["-rw-r--r-- 1 u u 5 Nov 22 01:33 f", "-rw-r--r-- 1 u u 5 Dec  1 14:05 f"],
    ["-rw-r--r-- 1 u u 5 Nov 22  2024 f", "-rw-r--r-- 1 u u 5 Dec  1  2025 f"],
    ["Sunday, November 22, 2026", "Monday, May 4, 2026"],
    ["at 1:33:34 PM", "at 2:03:04 AM"],
    ["ok (1.23s)", "ok (12s)"],
    ["done in 45 ms", "done in 1.2 seconds"],
    ["took 900µs", "took 3ns"],
    ["real\t0m1.234s", "real\t2m0.001s"],
    ["Finished in 1m 23s", "Finished in 1h 2m 3s"],
    ["elapsed: 3 minutes", "elapsed: 1 minute"],
    ["ts=1795309081 ok", "ts=1795309999 ok"],
    ["ts=1795309081781 ok", "ts=1695309081781 ok"],
    ["ts=1795309081.25 ok", "ts=1795309081.3 ok"],
  ] as const;
  for (const [one, other] of pairs) assertEquals(times(one), times(other), `${one} | ${other}`);
});

Deno.test("text that is not a time still counts", () => {
  const pairs = [
    ["main.ts:12:34: error", "main.ts:12:35: error"],
    ["main.ts:12:34:56", "main.ts:12:34:57"],
    ["3 tests failed", "4 tests failed"],
    ["version 1.2.3", "version 1.2.4"],
    ["-Xmx64m", "-Xmx32m"],
    ["64m", "32m"],
    ["size 2048", "size 4096"],
    ["::1:2:3", "::1:2:4"],
    ["commit 17953090811", "commit 17953090812"],
    ["id a1795309081", "id a1795309082"],
    ["10 sheets", "11 sheets"],
    ["v2026-11-22x", "v2026-11-23x"],
    ["Mayor 1", "Mayor 2"],
  ] as const;
  for (const [one, other] of pairs) assertNotEquals(times(one), times(other), `${one} | ${other}`);
});

const two = (value: number) => String(value).padStart(2, "0");
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const DAYS = "Sun Mon Tue Wed Thu Fri Sat".split(" ");

/** Parts of a date that formats of times are made of. */
function partsOf(date: Date) {
  const iso = date.toISOString();
  return {
    iso,
    day: iso.slice(0, 10),
    clock: iso.slice(11, 19),
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    date: date.getUTCDate(),
    hours: date.getUTCHours(),
    name: MONTHS[date.getUTCMonth()]!,
    weekday: DAYS[date.getUTCDay()]!,
    fraction: two(date.getUTCMilliseconds() * 1000).padStart(6, "0"),
    seconds: Math.floor(date.getTime() / 1000),
  };
}

/** Logs of many kinds: how each writes a time, and lines behind it. */
const LOGS: Record<string, (time: ReturnType<typeof partsOf>) => string> = {
  klog: ({ month, date, clock, fraction }) =>
    `E${two(month)}${two(date)} ${clock}.${fraction}      7 pods.go:131]`,
  glog: ({ day, clock, fraction }) => `W${day.replaceAll("-", "")} ${clock}.${fraction}    71 rpc.cc:131]`,
  dmesg: ({ seconds, fraction }) => `[${String(seconds % 100_000).padStart(5)}.${fraction}]`,
  "dmesg -T": ({ weekday, name, date, clock, year }) =>
    `[${weekday} ${name} ${String(date).padStart(2)} ${clock} ${year}]`,
  syslog: ({ name, date, clock }) => `${name} ${String(date).padStart(2)} ${clock} web3 sshd[812]:`,
  journal: ({ weekday, day, clock }) => `${weekday} ${day} ${clock} UTC web3 cron[812]:`,
  "RFC 5424": ({ iso }) => `<34>1 ${iso} web3 su 812 ID47 -`,
  "ISO basic": ({ iso }) => `${iso.replace(/[-:]|\.\d+/g, "")} worker-3`,
  "ISO basic, no letters": ({ iso }) => `${iso.replace(/[-:TZ]|\.\d+/g, "")} worker-3`,
  "ISO extended": ({ iso }) => `${iso.replace("Z", "+02:00")}[Europe/Berlin] worker-3`,
  "ISO, minutes": ({ iso }) => `${iso.slice(0, 16)}Z worker-3`,
  "ISO week": ({ year, month }) => `${year}-W${two(4 * month)}-3 worker-3`,
  "RFC 2822": ({ weekday, date, name, year, clock }) =>
    `Date: ${weekday}, ${date} ${name} ${year} ${clock} +0200 (CEST)`,
  "RFC 850": ({ weekday, date, name, year, clock }) =>
    `${weekday}, ${two(date)}-${name}-${two(year % 100)} ${clock} GMT`,
  American: ({ month, date, year, hours, clock }) =>
    `${month}/${date}/${year} ${hours % 12 + 1}${clock.slice(2)} ${hours < 12 ? "AM" : "PM"}`,
  "American, short": ({ month, date, year, hours, clock }) =>
    `${month}/${date}/${two(year % 100)} ${hours % 12 + 1}${clock.slice(2, 5)} ${hours < 12 ? "AM" : "PM"}`,
  German: ({ month, date, year, clock }) => `${two(date)}.${two(month)}.${year} ${clock}`,
  "German, day": ({ month, date, year }) => `am ${two(date)}.${two(month)}.${year}`,
  seconds: ({ seconds, fraction }) => `${seconds}.${fraction} TCP_MISS`,
  milliseconds: ({ seconds, fraction }) => `{"level":30,"time":${seconds}${fraction.slice(0, 3)},"pid":812}`,
  audit: ({ seconds, fraction }) => `type=AVC msg=audit(${seconds}.${fraction.slice(0, 3)}:4711):`,
  access: ({ date, name, year, clock }) => `10.2.3.4 - - [${two(date)}/${name}/${year}:${clock} +0000]`,
  nginx: ({ day, clock }) => `${day.replaceAll("-", "/")} ${clock} [error] 812#7: *9`,
  apache: ({ weekday, name, date, clock, fraction, year }) =>
    `[${weekday} ${name} ${two(date)} ${clock}.${fraction} ${year}] [core:error] [pid 812:tid 7]`,
  logcat: ({ day, clock, fraction }) => `${day.slice(5)} ${clock}.${fraction.slice(0, 3)}  812  833 E`,
  log4j: ({ day, clock, fraction }) => `${day} ${clock},${fraction.slice(0, 3)} ERROR [main-3]`,
  installer: ({ clock, fraction }) => `MSI (s) (A4:10) [${clock}:${fraction.slice(0, 3)}]:`,
  zephyr: ({ clock, fraction }) => `[${clock}.${fraction.slice(0, 3)},${fraction.slice(3)}] <err> uart3:`,
  "in words": ({ hours, date, seconds }) =>
    `took ${hours + 2} hours, ${date + 1} minutes and ${seconds % 60 + 2} seconds:`,
  "with units": ({ hours, date, seconds }) => `after ${hours}h${date}m${seconds % 60}s in pool 3`,
  age: ({ hours, date }) => `pod-7 1/1 Running ${date}d${hours}h`,
  "ISO duration": ({ hours, date, seconds }) => `build 7 PT${hours}H${date}M${seconds % 60}.5S`,
  "named field": ({ seconds, fraction }) => `<case id="7" time="${seconds % 60}.${fraction.slice(0, 3)}">`,
};

/** Texts behind the time, with digits that belong to something else. */
const REST = [
  "request 4711 to 10.2.3.4:8080 failed at main.go:12:34",
  "eth0: link 3 is down, mac 00:16:3e:5a:20:17",
  "page 17 of report_3.csv has 12 rows",
  "v1.20.300 exit 137 test_rate[17] Zone020",
  "http://10.0.0.7:5432/a/2/b-17?id=99&n=20 512 bytes",
];
const moment = fc.date({ min: new Date(1e12 + 7.2e9), max: new Date(1.9e12), noInvalidDate: true }).map(
  partsOf,
);
const logLine = fc.tuple(fc.constantFrom(...Object.values(LOGS)), fc.constantFrom(...REST));

Deno.test("logs of all kinds are equal when all their times are others", () => {
  fc.assert(
    fc.property(logLine, moment, moment, ([log, rest], one, other) => {
      assertEquals(
        times(`${log(one)} ${rest}`),
        times(`${log(other)} ${rest}`),
        `${log(one)} | ${log(other)}`,
      );
    }),
    { numRuns: 3000 },
  );
});

Deno.test("in logs of all kinds, any digit outside of times counts", () => {
  fc.assert(
    fc.property(logLine, moment, fc.nat(), fc.integer({ min: 1, max: 9 }), ([log, rest], time, at, by) => {
      const digits = [...rest.matchAll(/\d/g)].map(({ index }) => index);
      const index = digits[at % digits.length]!;
      const changed = rest.slice(0, index) + (Number(rest[index]) + by) % 10 + rest.slice(index + 1);
      assertNotEquals(times(`${log(time)} ${rest}`), times(`${log(time)} ${changed}`), changed);
    }),
    { numRuns: 3000 },
  );
});

Deno.test("a line with a time does not equal one without", () => {
  assertNotEquals(times("in 45 ms"), times("in "));
  assertNotEquals(times("in 45 ms"), times("in ms"));
});

Deno.test("addresses, whitespace and case are ignored on request", () => {
  const left = (line: string, ignored: Partial<Ignored>) => withoutIgnored(line, { ...NOTHING, ...ignored });
  assertEquals(left("at 0x7ffee3a0", { addresses: true }), left("at 0x10f2e4cd0", { addresses: true }));
  assertNotEquals(left("mask 0xff", { addresses: true }), left("mask 0xfe", { addresses: true }));
  assertEquals(left(" a \t b\r\n", { space: true }), left("a b", { space: true }));
  assertNotEquals(left("ab", { space: true }), left("a b", { space: true }));
  assertEquals(left("ÉCOLE", { case: true }), left("école", { case: true }));
  assertEquals(left("Any 0x7ffee3a0 1.2s \t", {}), "Any 0x7ffee3a0 1.2s \t");
});

const steady = (line: string) => withoutIgnored(line, { ...NOTHING_IGNORED, ...VOLATILE });

Deno.test("ids of runs are left out: UUIDs, process ids, names of temporary files", () => {
  const pairs = [
    ["run 0b7e3c1a-93f0-4c55-8f5e-2a1b3c4d5e6f", "run 7c9e6679-7425-40de-944b-e07fc1f90ae7"],
    ["client-0b7e3c1a-93f0-4c55-8f5e-2a1b3c4d5e6f /", "client-7c9e6679-7425-40de-944b-e07fc1f90ae7 /"],
    ["started (pid 4711)", "started (pid 88)"],
    ["PID: 4711 up", "PID: 12 up"],
    ["pid=4711", "pid=9"],
    ["cc /tmp/ccX3kd9A.o", "cc /tmp/ccPq81Zz.o"],
    ["ld: /tmp/again/ccIhjw7N.o: in main", "ld: /tmp/again/ccKgqJrX.o: in main"],
    ["in /tmp/tmp.Ab12Cd34/x.c", "in /tmp/tmp.Zz98Yy76/x.c"],
    ["in /tmp/fuzz.q8dpzx/c1", "in /tmp/fuzz.bdpvh4/c1"],
    ["in /tmp/ci/part-k3_9fj2a failed", "in /tmp/ci/part-q7xa_0pz failed"],
    ["in /tmp/ci/tmpk3_9fj2a/log", "in /tmp/ci/tmpzz81yyab/log"],
    ["at 0x7ffee3a0 in 1.2s", "at 0x10f2e4cd0 in 3ms"],
  ] as const;
  for (const [one, other] of pairs) assertEquals(steady(one), steady(other), `${one} | ${other}`);
  const different = [
    ["rapid 12", "rapid 13"],
    ["/tmp/report.txt", "/tmp/summary.txt"],
    ["/tmp/Report1.txt", "/tmp/Report2.txt"],
    ["/tmp/shop.zone17", "/tmp/shop.zone40"],
    ["in /tmp/tmp.Ab12Cd34/x.c", "in /tmp/tmp.Zz98Yy76/y.c"],
    ["/tmp/ci/parse2json.c", "/tmp/ci/parse3yaml.c"],
    ["/tmp/ci/test_one.py", "/tmp/ci/test_two.py"],
    ["items[12]: bad", "items[13]: bad"],
    ["line 12", "line 13"],
    ["sha 0b7e3c1a93f04c55", "sha 7c9e6679742540de"],
  ] as const;
  for (const [one, other] of different) assertNotEquals(steady(one), steady(other), `${one} | ${other}`);
});

Deno.test("no line whose other words differ becomes equal", () => {
  const word = fc.constantFrom(
    ...[
      "error",
      "in",
      "main.ts:12:3",
      "x=1",
      "x=2",
      "v1.2.3",
      "0xff",
      "failed",
      "3",
      "4",
      "/usr/lib",
      "item[7]:",
      "É",
    ],
  );
  const volatileText = fc.oneof(
    fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString()),
    fc.integer({ min: 0, max: 99_999 }).map((count) => `${count / 100}s`),
    fc.integer({ min: 0x1000, max: 0x7fffffff }).map((address) => `0x${address.toString(16)}`),
    fc.uuid(),
    fc.integer({ min: 1, max: 99_999 }).map((pid) => `pid=${pid}`),
    fc.stringMatching(/^[a-z]{3}[A-Z]\d[a-z]{2}$/).map((name) => `/tmp/cc${name}`),
  );
  /** Words, each perhaps followed by volatile text of one kind. */
  const lineOf = fc.array(fc.tuple(word, fc.option(volatileText)), { minLength: 1, maxLength: 5 });
  const kindOf = (text: string | null) =>
    text === null ? "" : /^(pid=|\/tmp\/)/.exec(text)?.[0] ?? "volatile";
  fc.assert(
    fc.property(lineOf, lineOf, fc.boolean(), fc.infiniteStream(volatileText), (one, other, same, others) => {
      const text = (line: typeof one) =>
        line.map(([plain, run]) => run === null ? plain : `${plain} ${run}`).join(" ");
      const skeleton = (line: typeof one) => line.map(([plain, run]) => `${plain} ${kindOf(run)}`).join(" ");
      const replaced = one.map(([plain, run]): [string, string | null] => {
        if (run === null) return [plain, null];
        for (const made of others) if (kindOf(made) === kindOf(run)) return [plain, made];
        return [plain, run];
      });
      const second = same ? replaced : other;
      assertEquals(steady(text(one)) === steady(text(second)), skeleton(one) === skeleton(second));
    }),
    { numRuns: 200 },
  );
});
