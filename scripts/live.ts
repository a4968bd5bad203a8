/**
 * Runs real harnesses headless against a scripted model, without fdtool and with it, and reports what the model saw. Run
 * by `scripts/live`, which builds the binary first.
 */

import { join } from "node:path";
import { parseOptions } from "./parse_options.ts";
import { VERSION } from "../src/calls/arguments/version.ts";
import type { LiveHarness, Scenario } from "./live-harnesses/live_harness.ts";
import { LIVE_HARNESSES } from "./live-harnesses/harness_list.ts";
import { cacheDirectory, installHarness, versionOf } from "./live-harnesses/install_harness.ts";
import { MCP_CLIENTS, MCP_CLIENTS_WHAT, mcpClientRows } from "./live-harnesses/mcp_clients.ts";
import { checksOf, liveReport, type ReportRow, rowLine } from "./live-harnesses/live_report.ts";
import { playScenario, runTrial } from "./live-harnesses/run_scenario.ts";
import { shortForm } from "./live-harnesses/short_form.ts";
import { CHECKOUT } from "./checkout.ts";
import { keepPage, TODAY } from "./result_pages.ts";

const USAGE =
  `usage: scripts/live [HARNESS…|mcp-clients] [--short] [--scenario NAME]… [--at-once] [--keep] [--keep-worlds]

Installs each harness at a pinned version from npm into a cache (FDTOOL_LIVE_CACHE, default ~/.cache/fdtool/live), runs it
headless against a scripted model on loopback, without fdtool and with it, and compares. No key, no account, and no
network but npm's. mcp-clients calls every tool from MCP clients that others wrote. Ends with "N passed, N failed".

  --short         the scenarios that scripts/test runs, several in one start
  --scenario      only those of this name
  --at-once       all harnesses at the same time: faster, but the times are worth less
  --keep          write the tables to scripts/live-results/
  --keep-worlds   leave the homes and projects of the runs, and print where
  --list          harnesses and scenarios
`;

async function main(): Promise<number> {
  const { values, positionals } = parseOptions({
    args: Deno.args,
    allowPositionals: true,
    options: {
      short: { type: "boolean", default: false },
      scenario: { type: "string", multiple: true },
      "at-once": { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      "keep-worlds": { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (values.list) {
    for (const harness of LIVE_HARNESSES) {
      console.log(`${harness.name} ${versionOf(harness)}`);
      for (const { name, what } of [...harness.scenarios, ...harness.trials ?? []]) {
        console.log(`  ${name.padEnd(24)} ${what}`);
      }
    }
    console.log(`${MCP_CLIENTS}\n  ${MCP_CLIENTS.padEnd(24)} ${MCP_CLIENTS_WHAT}`);
    return 0;
  }
  const known = [...LIVE_HARNESSES.map(({ name }) => name), MCP_CLIENTS];
  const unknown = positionals.find((word) => !known.includes(word));
  if (unknown !== undefined) {
    console.error(`fdtool: unknown harness ${unknown}; expected one of ${known.join(", ")}`);
    return 2;
  }

  const isWanted = ({ name, short }: { name: string; short?: Scenario["short"] | boolean }) =>
    (values.scenario?.includes(name) ?? true) && (!values.short || short !== undefined);
  let skipped = 0;
  const isAsked = (group: string) => positionals.length === 0 || positionals.includes(group);
  const rowsOf = async (harness: LiveHarness): Promise<ReportRow[]> => {
    const rows: ReportRow[] = [];
    const add = (row: ReportRow) => {
      rows.push(row);
      console.log(rowLine(row));
    };
    const wanted = harness.scenarios.filter(isWanted);
    const scenarios = values.short ? shortForm(wanted) : wanted;
    const trials = (harness.trials ?? []).filter(isWanted);
    if (!isAsked(harness.name) || scenarios.length + trials.length === 0) return rows;
    const installed = installHarness(harness);
    if (installed.kind === "missing") {
      skipped += scenarios.length + trials.length;
      console.log(
        `${harness.name} ${versionOf(harness)}: skipped, it cannot be installed (${installed.why})`,
      );
      return rows;
    }
    const setting = {
      binary: join(CHECKOUT, "dist", "fdtool"),
      programs: installed.programs,
      keep: values["keep-worlds"],
    };
    const of = { harness: harness.name, version: versionOf(harness) };
    const plays = [
      ...scenarios.map((scenario) => async () => {
        const { name, what } = scenario;
        const played = await playScenario(harness, scenario, setting);
        add({ ...of, name, what, kind: "scenario", played, permissions: scenario.permissions?.(played) });
      }),
      ...trials.map((trial) => async () => {
        const { name, what } = trial;
        add({ ...of, name, what, kind: "trial", result: await runTrial(harness, trial, setting) });
      }),
    ];
    // Each has its own world and model, and mostly waits.
    if (values.short) await Promise.all(plays.map((play) => play()));
    else for (const play of plays) await play();
    return rows;
  };
  const clientRows = async (): Promise<ReportRow[]> => {
    if (!isAsked(MCP_CLIENTS) || !isWanted({ name: MCP_CLIENTS })) return [];
    const rows = await mcpClientRows(CHECKOUT);
    if (rows === undefined) {
      skipped++;
      console.log(`${MCP_CLIENTS}: skipped, they cannot be installed`);
    }
    for (const row of rows ?? []) console.log(rowLine(row));
    return rows ?? [];
  };
  const groups = [...LIVE_HARNESSES.map((harness) => () => rowsOf(harness)), clientRows];
  const rows: ReportRow[] = [];
  if (values["at-once"]) rows.push(...(await Promise.all(groups.map((each) => each()))).flat());
  else for (const each of groups) rows.push(...await each());

  const report = liveReport(rows, {
    date: TODAY,
    fdtool: VERSION,
    processors: navigator.hardwareConcurrency,
    load: Deno.loadavg()[1] ?? 0,
  });
  console.log(`\n${report}`);
  if (values.keep) {
    const only = values.scenario?.length === 1 ? [values.scenario[0]!.replaceAll(" ", "-")] : [];
    keepPage("live", [TODAY, ...positionals, ...only].join("-"), report);
  }
  const checks = rows.flatMap(checksOf);
  const failed = checks.filter(({ ok }) => !ok).length;
  const more = skipped === 0 ? "" : `, ${skipped} skipped (no program in ${cacheDirectory()})`;
  console.log(`${checks.length - failed} passed, ${failed} failed${more}`);
  return failed === 0 ? 0 : 1;
}

Deno.exitCode = await main();
