import { assertEquals } from "@std/assert";
import { timeIn } from "./line_times.ts";

const AT = Date.UTC(2026, 10, 29, 14, 5, 30);

Deno.test("the time of a line is read in each form that logs have, in the log's own zone", () => {
  const lines: [line: string, ms: number, form: string][] = [
    ["2026-11-29T14:05:30.250Z INFO up", AT + 250, "date"],
    ["2026-11-29 14:05:30,250 [main] WARN x", AT + 250, "date"],
    ['{"time":"2026-11-29T14:05:30+02:00","msg":"12:00:00"}', AT, "date"],
    ["2026/11/29 14:05:30 http: panic", AT, "date"],
    ['10.0.0.1 - - [29/Nov/2026:14:05:30 +0000] "GET /"', AT, "date"],
    ["Nov 29 14:05:30 host sshd[1]: x", Date.UTC(2000, 10, 29, 14, 5, 30), "date"],
    ["E1129 14:05:30.250000 1 main.go:3] x", Date.UTC(2000, 10, 29, 14, 5, 30) + 250, "date"],
    ["[14:05:30] step", AT - Date.UTC(2026, 10, 29), "clock"],
    ["[   12.345678] usb 1-1: new device", 12_345.678, "seconds"],
    ['{"level":30,"time":1795961130250,"msg":"x"}', 1_795_961_130_250, "date"],
    ["1795961130.25 start", 1_795_961_130_250, "date"],
  ];
  for (const [line, ms, form] of lines) assertEquals(timeIn(line), { ms, form } as never, line);
  for (const line of ["src/a.c:12:3: error", "at x (a.ts:14:05:30:1)", "v1.2.3", "127.0.0.1:8080", ""]) {
    assertEquals(timeIn(line), undefined, line);
  }
});
