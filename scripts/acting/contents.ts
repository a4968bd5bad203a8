/** Contents that the tasks are about: outputs as tools write them, each with one decisive fact. */

import { join } from "node:path";

/** Numbers that look random and are the same every time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
}

/** A project for Deno's test runner: 240 tests, of which two fail. */
export function writeTests(directory: string): void {
  const failing: Record<string, string> = {
    "7:13": `throw new Error("expected total 1240, got 1204");`,
    "3:4": `throw new TypeError("Cannot read properties of undefined (reading 'currency')");`,
  };
  Deno.mkdirSync(join(directory, "suite"));
  for (let file = 0; file < 8; file++) {
    const tests = Array.from({ length: 30 }, (_, test) => {
      const body = failing[`${file}:${test}`] ?? "";
      return `Deno.test("module ${file} keeps promise ${test}", () => { ${body} });\n`;
    });
    Deno.writeTextFileSync(join(directory, "suite", `module_${file}_test.ts`), tests.join(""));
  }
}

/** JSON of 3 MB: 28,000 orders, of which one failed. */
export function ordersJson(): string {
  const below = numbers(5);
  const orders = Array.from({ length: 28_000 }, (_, at) => ({
    id: 100_000 + at,
    status: at === 13_377 ? "failed" : at % 11 === 0 ? "open" : "paid",
    customer: { name: `Customer ${below(5000)}`, country: ["de", "fr", "it"][below(3)] },
    total: below(100_000) / 100,
    error: at === 13_377 ? { code: "CARD_EXPIRED", at: "gateway-3" } : null,
  }));
  return JSON.stringify({ exported: "2026-11-23", orders });
}

/** 60,000 lines of a service's log; in the middle, one request fails, and the cause is three lines on. */
export function serviceLog(): string {
  const below = numbers(9);
  const lines = Array.from({ length: 60_000 }, (_, at) => {
    const time = new Date(Date.UTC(2026, 10, 23, 8) + at * 40).toISOString();
    return `${time} INFO request id=${(at * 7919).toString(16)} path=/items/${below(900)} status=200 ms=${
      below(90)
    }`;
  });
  const time = "2026-11-23T08:20:00.000Z";
  lines.splice(
    30_000,
    0,
    `${time} ERROR request id=deadbeef path=/checkout status=500 ms=3004`,
    "java.lang.IllegalStateException: could not reserve stock",
    "    at shop.Stock.reserve(Stock.java:88)",
    "Caused by: java.net.SocketTimeoutException: no answer from warehouse-2:9042 within 3000 ms",
    "    at shop.Warehouse.call(Warehouse.java:41)",
  );
  return `${lines.join("\n")}\n`;
}

/** An ELF program without a symbol table, with a version among its strings. */
export function program(): Uint8Array {
  const below = numbers(3);
  const bytes = Uint8Array.from({ length: 400_000 }, () => below(256));
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0xb7, 0]);
  bytes.set(new TextEncoder().encode("\0acme-agent version 4.7.1 (release)\0"), 250_000);
  return bytes;
}

/** A build that goes on for a while, warns a lot, and fails. */
export const BUILD = `#!/bin/sh
for step in $(seq 1 1500); do
  echo "[$step/1500] Compiling unit_$step.cc"
  [ $((step % 5)) = 0 ] && echo "unit_$step.cc:12:3: warning: unused variable 'tmp' [-Wunused-variable]"
  [ $step = 900 ] && sleep 0.3
  if [ $step = 1432 ]; then
    echo "unit_1432.cc:77:19: error: no matching function for call to 'resize(int, const char*)'" >&2
    echo "   77 |   buffer.resize(10, name);" >&2
  fi
done
echo "ninja: build stopped: subcommand failed."
exit 1
`;

/** A job that logs times, process ids and addresses. On the second run one step is refused. */
export const JOB = `#!/bin/sh
run=$(cat runs 2>/dev/null || echo 0)
echo $((run + 1)) > runs
awk -v run="$run" 'BEGIN {
  srand(run + 1)
  for (i = 1; i <= 800; i++) {
    state = (run == 1 && i == 417) ? "refused by host db-3" : "ok"
    printf "2026-11-23T%02d:%02d:%02d.%03dZ worker pid=%d step %d %s in %.2fs at 0x%06x\\n",
      9 + run, i / 60 % 60, i % 60, rand() * 1000, 1000 + rand() * 30000, i, state, rand() * 3, rand() * 16000000
  }
}'
`;

/** A source file of 120 lines. */
export function settingsSource(): string {
  const lines = Array.from({ length: 120 }, (_, at) => `  key${at + 1}: ${at * 3},`);
  lines[11] = "  retries: 3,";
  lines[59] = "  timeoutMs: 500,";
  lines[111] = '  host: "localhost",';
  return `export const settings = {\n${lines.join("\n")}\n};\n`;
}
