/**
 * Simulates a day of many hosts on one shared store, and the growth of the store. Run by `scripts/simulate-fleet`.
 */

import { parseOptions } from "./parse_options.ts";
import { type FleetDay, runFleetDay } from "./fleet/fleet_day.ts";
import { fleetReport } from "./fleet/fleet_report.ts";
import { measureStore } from "./fleet/growth_curve.ts";
import { keepPage, TODAY } from "./result_pages.ts";

const USAGE = `usage: scripts/simulate-fleet [options]

Simulates a day of hosts that share a store: the real code of fd/shared over a simulated object store, in simulated time.

  --hosts N       hosts (1000)
  --captures N    captures of each host in the day (1000)
  --hours N       simulate this part of the day, at the same rate (24)
  --latency MS    mean way to the server and back (25)
  --lost SHARE    requests and answers that are lost, each (0.0001)
  --refused SHARE answers 503 (0.001)
  --seed N        (1)
  --curve N       measure single actions on stores of 1,000 to N fds (1000000; 0: none)
  --keep          write the report to scripts/fleet-results/
`;

const { values } = parseOptions({
  args: Deno.args,
  options: {
    hosts: { type: "string", default: "1000" },
    captures: { type: "string", default: "1000" },
    hours: { type: "string", default: "24" },
    latency: { type: "string", default: "25" },
    lost: { type: "string", default: "0.0001" },
    refused: { type: "string", default: "0.001" },
    seed: { type: "string", default: "1" },
    curve: { type: "string", default: "1000000" },
    keep: { type: "boolean" },
    help: { type: "boolean" },
  },
});

async function main(): Promise<number> {
  if (values.help === true) {
    console.log(USAGE);
    return 0;
  }
  const lost = Number(values.lost);
  const day: FleetDay = {
    hosts: Number(values.hosts),
    captures: Number(values.captures),
    hours: Number(values.hours),
    // One way is drawn from half to twice this, 1.25 times on average.
    latencyMs: Number(values.latency) / 2.5,
    faults: { "request lost": lost, "answer lost": lost, "503": Number(values.refused) },
    seed: Number(values.seed),
  };
  const curve = [];
  for (let fdCount = 1000; fdCount <= Number(values.curve); fdCount *= 10) {
    curve.push(...await measureStore(fdCount, day.latencyMs));
  }
  const result = await runFleetDay(day);
  const text = fleetReport(day, result, curve, TODAY);
  console.log(text);
  if (values.keep === true) keepPage("fleet", TODAY, text);
  // Two captures with one id are the one thing that must not happen.
  return result.distinctIds === result.claims ? 0 : 1;
}

Deno.exitCode = await main();
