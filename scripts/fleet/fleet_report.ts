/** The report of a simulated day, as Markdown. */

import { type FleetDay, type FleetResult, SCALE } from "./fleet_day.ts";
import { markdownTable } from "../result_pages.ts";
import { COMPUTED, type CurvePoint } from "./growth_curve.ts";

/** List prices in dollars (AWS, us-east-1, standard class, as published in 2025): not measured, and without transfer. */
const PRICES = { writes: 0.005 / 1000, reads: 0.0004 / 1000, gigabyteMonth: 0.023 };
const DAYS_KEPT = 30;
const BEYOND = [1e7, 1e8];

export function fleetReport(
  day: FleetDay,
  result: FleetResult,
  curve: readonly CurvePoint[],
  date: string,
): string {
  const { traffic, waits } = result;
  const count = (value: number) => Math.round(value).toLocaleString("en-US");
  const requests = traffic.get + traffic.head + traffic.put + traffic.delete + traffic.list;
  const rows = [...waits].map(([kind, list]) => {
    const sorted = list.toSorted((a, b) => a - b);
    const at = (share: number) =>
      count(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!);
    const each = ((result.requestsBy.get(kind) ?? 0) / sorted.length).toFixed(2);
    return [kind, count(sorted.length), each, ...[0.5, 0.95, 0.99, 1].map(at)];
  });
  const failures = [...result.failures].map(([kind, times]) => `${times} ${kind}`).join(", ") || "none";
  return `# ${day.hours} simulated hours of ${count(day.hosts)} hosts, ${date}

\`scripts/simulate-fleet --hosts ${day.hosts} --captures ${day.captures} --hours ${day.hours} --latency ${
    day.latencyMs * 2.5
  } --seed ${day.seed}\`

The code of \`fd/shared\` over a simulated object store in simulated time. Faults: ${faultsOf(day)}.
Content is scaled down 1,000 times; its bytes below are the real ones.

## Measured in the simulation

- ${count(result.claims)} captures got ${
    count(result.distinctIds)
  } different ids; the highest is fd:${result.highestId}.
- Failures: ${failures}.
- ${count(requests)} requests, ${
    (requests / result.claims).toFixed(2)
  } for each capture with all that goes with it: ${count(traffic.put)} PUT, ${count(traffic.get)} GET, ${
    count(traffic.list)
  } LIST,
  ${count(traffic.delete)} DELETE. ${
    count(traffic.refused)
  } PUT were refused by a condition: two hosts tried one id, or a hint was raised at the same moment.
- ${(requests / 3600 / day.hours).toFixed(1)} requests a second on average, ${
    count(result.busiestSecondWrites)
  } in the busiest second.
- ${(result.contentBytes / 1e9).toFixed(1)} GB of content in ${count(result.objectCount)} objects, and ${
    ((traffic.sentBytes - result.contentBytes / SCALE) / 1e9).toFixed(1)
  } GB of headers, records and hints sent.
- The cleaning after that: ${count(result.cleaningRequests)} requests; it makes the listings of all new fds.

Waits in simulated milliseconds:

${markdownTable("action,times,requests each,median,95 %,99 %,most".split(","), rows)}

## Computed: cost in a month

${costOf(day, result)}

## Requests of one action as the store grows

Measured in the simulation up to the largest store shown as such; beyond it computed by the rules in \`fd/SHARED.md\`.
A cleaning looks at every thousand of fds again once a week (2 requests each), and at all of them before it removes any for
the quota.

${curveOf(curve)}
`;
}

function faultsOf({ faults }: FleetDay): string {
  return Object.entries(faults).map(([fate, share]) => `${share} ${fate}`).join(", ");
}

function costOf({ hours }: FleetDay, { traffic, contentBytes, cleaningRequests }: FleetResult): string {
  const days = DAYS_KEPT * 24 / hours;
  const writes = days * (traffic.put + traffic.list);
  const reads = days * (traffic.get + traffic.head + cleaningRequests);
  const gigabytes = contentBytes / 1e9 * days;
  const [writesCost, readsCost] = [writes * PRICES.writes, reads * PRICES.reads];
  const keeping = gigabytes * PRICES.gigabyteMonth;
  const dollars = (value: number) => value.toFixed(0);
  return `At AWS's list prices of 2025 (PUT and LIST 0.005, GET 0.0004 dollars for 1,000; 0.023 for a GB and month), without
transfer: ${dollars(writesCost)} dollars for ${(writes / 1e6).toFixed(0)} million PUT and LIST, ${
    dollars(readsCost)
  } for ${(reads / 1e6).toFixed(0)} million GET, and ${dollars(keeping)} for keeping
${gigabytes.toFixed(0)} GB (30 days of content).`;
}

function curveOf(curve: readonly CurvePoint[]): string {
  const sizes = [...new Set(curve.map(({ fdCount }) => fdCount))];
  const actions = [...new Set(curve.map(({ action }) => action))];
  const head = [
    "action",
    ...sizes.map((size) => size.toLocaleString("en-US")),
    ...BEYOND.map((size) => `${size / 1e6} M (computed)`),
  ];
  const rows = actions.map((action) => {
    const measured = sizes.map((size) => {
      const point = curve.find((each) => each.fdCount === size && each.action === action);
      return point === undefined
        ? `${COMPUTED[action]!(size).toLocaleString("en-US")} (computed)`
        : `${point.requests.toLocaleString("en-US")} in ${(point.ms / 1000).toFixed(2)} s`;
    });
    const computed = BEYOND.map((size) => COMPUTED[action]!(size).toLocaleString("en-US"));
    return [action, ...measured, ...computed];
  });
  return markdownTable(head, rows);
}
