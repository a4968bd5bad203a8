/**
 * A shared store beside a local one. The object store is versitygw on this machine; where a row says so, a proxy adds
 * {@link DELAY_MS} to each request, and counts requests and bytes.
 */

import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { atMost, type Row, rowsOf } from "./benchmark_row.ts";
import {
  fdtoolCommand,
  fdtoolLine,
  freshDirectory,
  logFile,
  pick,
  type Setting,
  textFile,
} from "./bench_setting.ts";
import { describeLargeFd, readNearEnd } from "./large_fd.ts";
import { measureTurns, quantile } from "./measure_turns.ts";
import { outputOf, peakMemoryOf, quoted, runProcess, shell, type Task } from "./run_process.ts";
import { smallItem } from "./sample_data.ts";
import type { Counts, SharedServers } from "./shared_servers.ts";

const rows = rowsOf("shared");
const MIB = 1 << 20;
const DELAY_MS = 25;
const DELAYED = `${DELAY_MS} ms a request`;
const FAR_MS = 100;
/** Of the producer that is slower than the upload: 40 MB/s. */
const PRODUCED_BYTES_PER_MS = 40_000;

type Servers = Exclude<SharedServers, { missing: string }>;

/** A shared store as one host uses it. */
interface Host {
  url: string;
  cache: string;
  env: Readonly<Record<string, string>>;
}

/** Measures them. */
export async function* sharedRows(setting: Setting): AsyncIterable<Row> {
  const { servers, stop } = await startServers(setting);
  if ("missing" in servers) {
    yield rows.value("a shared store", "-", "x", undefined, { note: servers.missing });
    return;
  }
  try {
    yield* await connectRows(setting, servers);
    yield* await captureRows(setting, servers);
    yield* encryptedRows(setting, servers);
    yield* await nearEndRows(setting, servers);
    yield* uploadRows(setting, servers);
    yield* await listRows(setting, servers);
  } finally {
    await stop();
  }
}

/** Starts them in a process of their own, since a measured process keeps this one from answering. */
async function startServers(setting: Setting): Promise<{ servers: SharedServers; stop: () => unknown }> {
  if (setting.deno === "") return { servers: { missing: "there is no Deno to run the proxy" }, stop() {} };
  const program = join(setting.checkout, "scripts/benchmark/shared_servers.ts");
  const words = ["run", "--quiet", "--allow-all", program, String(DELAY_MS), String(FAR_MS)];
  const child = spawn(setting.deno, words, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, TMPDIR: setting.directory },
  });
  let said = "";
  for await (const chunk of child.stdout) {
    said += chunk;
    if (said.includes("\n")) break;
  }
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    servers: JSON.parse(said),
    stop() {
      child.stdin.end();
      return ended;
    },
  };
}

/** A host with an empty cache, and more in its environment. */
function newHost(
  setting: Setting,
  servers: Servers,
  prefix: string,
  endpoint: "plain" | "delayed" | "far",
  more: Readonly<Record<string, string>> = {},
): Host {
  const cache = join(setting.directory, `cache-${prefix}-${endpoint}`);
  rmSync(cache, { recursive: true, force: true });
  const url = `s3://${servers.bucket}/${prefix}?endpoint=${servers[endpoint]}`;
  return { url, cache, env: { ...servers.env, FDTOOL_STORE: url, FDTOOL_CACHE: cache, ...more } };
}

async function countsOf({ counts }: Servers): Promise<Counts> {
  return await (await fetch(counts)).json() as Counts;
}

/** The time of one run, and what went through the proxies. */
type Run = Counts & { wallMs: number };

async function counted(servers: Servers, task: Task): Promise<Run> {
  await countsOf(servers);
  const { wallMs } = runProcess(task);
  return { wallMs, ...await countsOf(servers) };
}

function medianWall(runs: readonly Run[]): number {
  return quantile(runs.map(({ wallMs }) => wallMs), 0.5);
}

function captureTask(setting: Setting, host: Host, path: string): Task {
  const line = fdtoolLine(setting, host.url, ["capture", "--always"]);
  return { command: shell(`${line} < ${quoted(path)}`), env: host.env };
}

async function connectRows(setting: Setting, servers: Servers): Promise<Row[]> {
  const runs: Run[] = [];
  for (let turn = 0; turn < pick(setting, 5, 3); turn++) {
    const { url, env } = newHost(setting, servers, `connect${turn}`, "far");
    // It is remembered in the home of the user.
    const home = { HOME: freshDirectory(setting, "home"), FDTOOL_STORE: "" };
    const command = [setting.fdtool, "store", "connect", url];
    runs.push(await counted(servers, { command, env: { ...env, ...home } }));
  }
  const note = `${FAR_MS} ms a request; ${runs.at(-1)!.requests} requests`;
  return [rows.value("store connect, a new store", "-", "ms", medianWall(runs), { ...atMost(3000), note })];
}

async function captureRows(setting: Setting, servers: Servers): Promise<Row[]> {
  const path = textFile(setting, "small", smallItem(0));
  const store = freshDirectory(setting, "local");
  const turns = measureTurns(
    captureTask(setting, newHost(setting, servers, "small", "plain"), path),
    { command: shell(`${fdtoolLine(setting, store, ["capture", "--always"])} < ${quoted(path)}`) },
    pick(setting, 60, 15),
  );
  const host = newHost(setting, servers, "small", "delayed");
  outputOf(captureTask(setting, host, path));
  const requests: number[] = [];
  for (let turn = 0; turn < 15; turn++) {
    requests.push((await counted(servers, captureTask(setting, host, path))).requests);
  }
  return [
    rows.ratio("small capture, shared", "a local store", turns, { ...atMost(2, 1.4), note: "no delay" }),
    rows.value("small capture: requests", "-", "count", quantile(requests, 0.5), {
      ...atMost(1),
      note: `the median of ${requests.join(", ")}`,
    }),
  ];
}

/** The cost of encryption: the same calls on two stores. */
function* encryptedRows(setting: Setting, servers: Servers): Iterable<Row> {
  const mebibytes = pick(setting, 256, 64);
  const log = logFile(setting, "log", mebibytes * MIB);
  const small = textFile(setting, "small", smallItem(0));
  const turns = pick(setting, 15, 5);
  const key = { FDTOOL_SHARED_KEY: "0123456789abcdef".repeat(4) };
  const both = [["encrypted", key], ["unencrypted", {}]] as const;
  const uploads = both.map(([prefix, key]): Task => {
    const host = newHost(setting, servers, prefix, "plain", key);
    outputOf(captureTask(setting, host, small));
    // Each upload is of a new fd, and would fill the memory.
    const before = () => {
      const data = join(servers.directory, prefix, "v1/data");
      for (const path of [host.cache, data]) rmSync(path, { recursive: true, force: true });
    };
    return { ...captureTask(setting, host, log), before };
  }) as [Task, Task];
  const size = `${mebibytes} MiB`;
  yield rows.ratio(`upload of ${size}, encrypted`, "unencrypted", measureTurns(...uploads, turns), {
    ...atMost(1.2),
    note: "no delay",
  });
  const fd = `fd:${turns + 2}`;
  const reads = both.map(([prefix, key]): Task => {
    const host = newHost(setting, servers, prefix, "delayed", key);
    const args = ["read", fd, "--tail", "5"];
    return {
      command: fdtoolCommand(setting, host.url, args),
      env: host.env,
      before: () => rmSync(host.cache, { recursive: true, force: true }),
    };
  }) as [Task, Task];
  yield rows.ratio(`5 lines of ${size}, encrypted`, "unencrypted", measureTurns(...reads, 2 * turns), {
    ...atMost(1.1),
    note: `cold cache, another host wrote it; ${DELAYED}`,
  });
  rmSync(log);
}

/** Five lines near the end of a large fd of another host. */
async function nearEndRows(setting: Setting, servers: Servers): Promise<Row[]> {
  const mebibytes = pick(setting, 1024, 64);
  const size = mebibytes === 1024 ? "1 GiB" : `${mebibytes} MiB`;
  setting.say(`sharing ${size} …`);
  const log = logFile(setting, "log", mebibytes * MIB);
  const writer = newHost(setting, servers, "large", "plain");
  outputOf(captureTask(setting, writer, log));
  rmSync(writer.cache, { recursive: true });
  const store = freshDirectory(setting, "local");
  outputOf({ command: shell(`${fdtoolLine(setting, store, ["capture", "--always"])} < ${quoted(log)}`) });
  rmSync(log);
  const fd = describeLargeFd(setting, store);
  const name = `5 lines near the end of ${size}`;
  const cold: Run[] = [];
  const host = newHost(setting, servers, "large", "delayed");
  const shared = { ...readNearEnd(setting, { ...fd, store: host.url }), env: host.env };
  const uncached = { ...shared, before: () => rmSync(host.cache, { recursive: true, force: true }) };
  for (let turn = 0; turn < pick(setting, 15, 5); turn++) cold.push(await counted(servers, uncached));
  const note = `cold cache, another host wrote it; ${DELAYED}`;
  const requests = Math.max(...cold.map((each) => each.requests));
  const bytes = Math.max(...cold.map((each) => each.bytes));
  const warm = measureTurns(shared, readNearEnd(setting, fd), pick(setting, 60, 15));
  for (const path of [store, host.cache]) rmSync(path, { recursive: true, force: true });
  return [
    rows.value(`${name}: requests`, "-", "count", requests, { ...atMost(5, 3), note }),
    rows.value(`${name}: bytes`, "-", "bytes", bytes, { ...atMost(256_000), note }),
    rows.value(name, "-", "ms", medianWall(cold), { note }),
    rows.ratio(`${name}, warm cache`, "a local store", warm, {
      ...atMost(1.3, 1.1),
      note: "in the cache for less than a minute",
    }),
  ];
}

/** Content that comes more slowly than it is sent. */
function* uploadRows(setting: Setting, servers: Servers): Iterable<Row> {
  const mebibytes = pick(setting, 256, 64);
  const log = logFile(setting, "log", mebibytes * MIB);
  const small = textFile(setting, "small", smallItem(0));
  // The first call of a store tries its server, and takes seconds; the first of a host connects.
  outputOf(captureTask(setting, newHost(setting, servers, "slow", "plain"), small));
  const host = newHost(setting, servers, "slow", "delayed");
  outputOf(captureTask(setting, host, small));
  const end = join(setting.directory, "end");
  const program = join(setting.checkout, "scripts/benchmark/slow_producer.ts");
  const producer = [setting.bun, "run", program, log, String(PRODUCED_BYTES_PER_MS), end];
  const line = fdtoolLine(setting, host.url, ["capture", "--always", "--format", "json"]);
  const task = { command: shell(`${producer.map(quoted).join(" ")} | ${line}`), env: host.env };
  const sharing: number[] = [];
  for (let turn = 0; turn < pick(setting, 3, 1); turn++) {
    const answer: { shared?: boolean } = JSON.parse(outputOf(task).split("\n")[0]!);
    sharing.push(Date.now() - Number(readFileSync(end, "utf8")));
    if (answer.shared === false) throw new Error("the fd was not shared in time");
  }
  const size = `${mebibytes} MiB`;
  yield rows.value(`${size} at 40 MB/s: from its end until shared`, "-", "ms", quantile(sharing, 0.5), {
    ...atMost(600, 200),
    note: `${DELAYED}; with the local seal; of ${sharing.map((ms) => ms.toFixed(0)).join(", ")}`,
  });
  const peak = peakMemoryOf(captureTask(setting, host, log), setting.directory);
  const note = `${DELAYED}; the larger of capture and uploader`;
  yield rows.value(`peak memory, ${size} shared`, "-", "bytes", peak, {
    ...atMost(128 * MIB, 64 * MIB),
    note,
  });
  for (const path of [log, host.cache]) rmSync(path, { recursive: true, force: true });
}

async function listRows(setting: Setting, servers: Servers): Promise<Row[]> {
  const count = pick(setting, 10_000, 2000);
  setting.say(`making ${count} shared fds …`);
  const writer = newHost(setting, servers, "many", "plain");
  const maker = join(setting.checkout, "scripts/benchmark/make_shared_fds.ts");
  outputOf({
    command: [setting.deno, "run", "--quiet", "--allow-all", maker, writer.url, String(count)],
    env: writer.env,
  });
  // Writes all listings, as cleaning does and every `ls --all` that finds old ones.
  outputOf({ command: fdtoolCommand(setting, writer.url, ["ls", "--all"]), env: writer.env });
  const made: Row[] = [];
  const lists = {
    [`ls of ${count}, cold cache (the newest 100)`]: ["ls"],
    [`ls --all of ${count}, cold cache`]: ["ls", "--all"],
  };
  for (const [name, args] of Object.entries(lists)) {
    const runs: Run[] = [];
    for (let turn = 0; turn < pick(setting, 9, 3); turn++) {
      const { url, env } = newHost(setting, servers, "many", "delayed");
      runs.push(await counted(servers, { command: fdtoolCommand(setting, url, args), env }));
    }
    const { requests, bytes } = runs.at(-1)!;
    const note = `${DELAYED}; all listings there; ${requests} requests, ${Math.round(bytes / 1024)} KiB`;
    made.push(rows.value(name, "-", "ms", medianWall(runs), { ...atMost(1000, 300), note }));
  }
  return made;
}
