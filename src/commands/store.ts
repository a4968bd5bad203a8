/**
 * `store`: the shared stores that this host uses (contract, Shared stores). `connect` tries first whether the object store
 * keeps what a shared store relies on, as `check` does.
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { existsSync } from "node:fs";
import {
  type CacheFacts,
  changeLimits,
  formatFd,
  isStoreUrl,
  limit,
  locateStore,
  openObjectStore,
  openSharedObjects,
  openStore,
  parseDuration,
  parseStoreUrl,
  probeStore,
  readSharedStore,
} from "../../fd/mod.ts";
import { fail } from "../../fd/system.ts";
import { connect, disconnect, listConnections } from "../sharing/connected_stores.ts";
import { openHostCache, openObjects, requireCache, storeOf } from "../sharing/open_cache.ts";
import { counted } from "../answers/parts/grouped_digits.ts";
import { textAnswer } from "../answers/parts/text_answer.ts";
import type { Report, ReportOf } from "../calls/terms/reports.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";
import { flagOption, textOption } from "../calls/requests/request_fields.ts";

const ACTIONS = ["check", "connect", "disconnect", "list", "show", "stats", "limits"] as const;

export const command = defineOperation({
  fields: {
    action: { kind: "text", choices: ACTIONS, isRequired: true, isArgument: true },
    url: { kind: "text", isArgument: true },
    thorough: flagOption("check: with ten times the requests"),
    remote: flagOption("stats: also list what is in the bucket"),
    prometheus: flagOption("stats: in the text format of Prometheus (also --format prometheus)"),
    quota: textOption("N", "limits: the most bytes that gc leaves, such as 500G; 0 for no limit"),
    ttl: textOption("DURATION", "limits: the age at which gc removes fds, such as 30d; 0 for no limit"),
  },
  usage:
    "check|connect|disconnect [URL] [--thorough] | list | show | stats [--remote] | limits [--quota BYTES] [--ttl DURATION]",
  values: { action: ACTIONS },
  example: "fdtool store connect 's3://team-bucket/ci?region=eu-west-1'",
  exitCodes: {
    0: "done",
    1: "the store breaks a promise, does not answer, denies access, or was not connected",
  },
  async answer({ action, url: written, thorough, remote, prometheus, ...limits }, host) {
    switch (action) {
      case "check":
        return reported(await checkedStore(namedStore(written, host), host, thorough));
      case "connect":
        return reported(await connectedStore(namedStore(written, host), host));
      case "disconnect":
        return reported(await disconnectedStore(namedStore(written, host), host));
      case "list":
        return reported(connections(host));
      case "show":
        return reported(await shownStore(host));
      case "stats": {
        const { metricsText, statsOf } = await import("../sharing/store_stats.ts");
        const shown = await shownStore(host, (facts) => statsOf(facts, host, remote === true));
        return prometheus === true
          ? { exitCode: 0, answer: textAnswer(metricsText(shown.facts)) }
          : reported(shown);
      }
      case "limits":
        return reported(await limitedStore(limits, host));
    }
  },
});

function reported(answer: Report): Outcome {
  return { exitCode: "ok" in answer.facts && !answer.facts.ok ? 1 : 0, answer };
}

/** A store as the caller named it, and the name of the argument or variable. */
type NamedStore = readonly [written: string, field: string];

function namedStore(written: string | undefined, { storeOption, env }: Host): NamedStore {
  if (written !== undefined) return [written, "URL"];
  if (storeOption !== undefined) return [storeOption, "--store"];
  return [env["FDTOOL_STORE"] ?? "", "FDTOOL_STORE"];
}

async function connectedStore(named: NamedStore, host: Host): Promise<Report> {
  const [written, field] = named;
  if (isStoreUrl(written)) {
    // A store that was made was tried then; and a host that may only read cannot try it.
    const address = parseStoreUrl(written, field, host.env);
    const isMade = await readSharedStore(
      await openSharedObjects(address, { env: host.env, signal: host.signal }),
    );
    const checked = isMade === undefined ? await checkedStore(named, host) : undefined;
    if (checked?.facts.ok === false) return { ...checked, message: `Not connected. ${checked.message}` };
    await (await openHostCache(written, host)).connect();
  } else {
    const { path } = openStore(locateStore({ store: written, env: host.env }));
    if (!existsSync(path)) fail({ kind: "file_not_found", path, action: "connect to" });
  }
  connect(written, host);
  return connections(host, `This host is connected to ${written}.`);
}

async function disconnectedStore([written]: NamedStore, host: Host): Promise<Report> {
  if (!disconnect(written, host)) {
    return connections(host, `This host was not connected to ${written}.`, false);
  }
  const pending = isStoreUrl(written)
    ? (await (await openHostCache(written, host)).facts()).pending.length
    : 0;
  const left = pending === 0 ? "" : ` Fds that are not shared yet stay on this host: ${pending}.`;
  return connections(host, `Disconnected from ${written}.${left}`);
}

/** The most pending fds that are listed. */
const MAX_PENDING = 20;

type StoreFacts = Partial<ReportOf<"store_shown">["facts"]>;

async function shownStore(
  host: Host,
  moreOf?: (facts: CacheFacts) => Promise<StoreFacts>,
): Promise<ReportOf<"store_shown">> {
  const cache = await requireCache("store", host);
  const facts = await cache.facts();
  const { identity, size, boundBytes, highestId, pending } = facts;
  const dateOf = (ms: number | undefined) => ms === undefined ? undefined : new Date(ms).toISOString();
  const count = pending.length;
  return {
    type: "store_shown",
    facts: {
      store: identity?.place,
      id: identity?.id,
      created: dateOf(identity?.createdMs),
      highest_id: highestId,
      cache: cache.store.path,
      cached_fds: size.fdCount,
      cached_bytes: size.diskBytes,
      cache_bound: boundBytes,
      oldest_read: dateOf(size.oldestReadMs),
      pending: count,
      pending_fds: pending.slice(0, MAX_PENDING).map(({ id, sinceMs }) => ({
        fd: formatFd(id),
        since: dateOf(sinceMs),
      })),
      ...await moreOf?.(facts),
    },
    message: identity === undefined
      ? "This host has not reached the shared store yet."
      : count === 0
      ? "All fds of this host are shared."
      : `${counted(count, "fd")} of this host ${count === 1 ? "is" : "are"} not shared yet.`,
    next: count === 0 ? undefined : { command: "sync", args: { wait: true } },
  };
}

/** Shows the limits that hold for all hosts, or changes them. */
async function limitedStore(
  { quota, ttl }: { quota?: string | undefined; ttl?: string | undefined },
  host: Host,
): Promise<Report> {
  await requireCache("store", host);
  const objects = await openObjects(host);
  const known = await readSharedStore(objects) ??
    fail({ kind: "store_unfit", store: storeOf(host), promise: "answers", found: "there is no store yet" });
  const given = { "--quota": quota, "--ttl": ttl };
  const quotaBytes = limit(given, "--quota", known.quotaBytes, "bytes, such as 500G, or 0");
  const inDays = (text: string) => parseDuration(text, "d");
  const ttlMs = limit(given, "--ttl", known.ttlMs, "an age, such as 30d, or 0", inDays);
  const isChanged = quotaBytes !== known.quotaBytes || ttlMs !== known.ttlMs;
  const { isFull = false } = isChanged
    ? await changeLimits(objects, { quotaBytes, ttlMs, ...quotaBytes === 0 ? { isFull: false } : {} })
    : known;
  return {
    type: "store_limits",
    facts: { store: storeOf(host), quota: quotaBytes, ttl_ms: ttlMs, full: isFull },
    message: isFull
      ? "The store is over its quota: nothing is shared until gc finds that it is not."
      : "gc cleans by these limits.",
    next: isFull ? { command: "gc", args: {} } : undefined,
  };
}

function connections({ env }: Host, message?: string, ok = true): Report {
  const connection = listConnections(env);
  return {
    type: "store_connections",
    facts: { ok, total: connection.length, connection },
    message: message ?? `This host is connected to ${counted(connection.length, "store")}.`,
  };
}

type Checked = ReportOf<"store_checked"> & { message: string };

async function checkedStore(named: NamedStore, { env, signal }: Host, isThorough = false): Promise<Checked> {
  const address = parseStoreUrl(...named, env);
  const { promises, isVersioned } = await probeStore(openObjectStore(address, { env, signal }), isThorough);
  const broken = promises.filter(({ found }) => found !== undefined);
  const verdict = broken.length === 0
    ? "The object store keeps what a shared store relies on."
    : `No fds can be shared there: ${broken.map(({ promise, found }) => `${promise}: ${found}`).join("; ")}.`;
  const versions = isVersioned
    ? " The bucket keeps old versions, so removing fds frees no space until a lifecycle rule deletes them."
    : "";
  return {
    type: "store_checked",
    facts: {
      ok: broken.length === 0,
      store: address.place,
      versioned: isVersioned || undefined,
      promises: promises.map(({ promise, found }) => ({ promise, kept: found === undefined, found })),
    },
    message: verdict + versions,
  };
}
