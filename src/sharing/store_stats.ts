/** `store stats`: a shared store in numbers, for people and for a collector of metrics. */

import { openObjectStore, parseStoreUrl, totalsOfBucket } from "../../fd/mod.ts";
import { counted } from "../answering/grouped_digits.ts";
import type { Host } from "../terms/command.ts";
import type { ReportOf } from "../terms/reports.ts";
import { requireCache, storeOf } from "./open_cache.ts";

type Stats = ReportOf<"store_stats">;

/** All kinds, so that a metric is there before its first event. */
const REQUESTS = ["get", "head", "list", "put", "delete"];
const ERRORS = ["unreachable", "denied", "throttled", "server", "refused"];

/** Numbers of this host, without a request; with `isRemote`, those of the bucket too. */
export async function storeStats(host: Host, isRemote: boolean): Promise<Stats> {
  const { identity, size, boundBytes, highestId, pending, today } = await (await requireCache("store", host))
    .facts();
  const { requests, errors, shared } = today;
  const sharedToday = shared.counts.get("fd");
  const oldestMs = pending.length === 0 ? undefined : Math.min(...pending.map(({ sinceMs }) => sinceMs));
  const kinds = (all: readonly string[], { counts }: typeof requests) =>
    all.map((kind) => ({ kind, ...counts.get(kind) ?? { count: 0, byteCount: 0 } }));
  return {
    type: "store_stats",
    facts: {
      store: identity?.place,
      highest_id: highestId,
      shared_fds: sharedToday?.count ?? 0,
      shared_bytes: sharedToday?.byteCount ?? 0,
      last_share: dateOf(shared.lastMs),
      pending: pending.length,
      oldest_pending: dateOf(oldestMs),
      cached_fds: size.fdCount,
      cached_bytes: size.diskBytes,
      cache_bound: boundBytes,
      ...isRemote ? await remoteFacts(host) : {},
      requests: kinds(REQUESTS, requests).map(({ kind, count, byteCount }) => ({
        kind,
        count,
        bytes: byteCount,
      })),
      errors: kinds(ERRORS, errors).map(({ kind, count }) => ({ kind, count })),
    },
    message: pending.length === 0
      ? "All fds of this host are shared."
      : `${counted(pending.length, "fd")} of this host not shared yet.`,
    next: pending.length === 0 ? undefined : { command: "sync", args: { wait: true } },
  };
}

async function remoteFacts(host: Host) {
  const { env, signal } = host;
  // Sizes as they are in the bucket, which need no key of an encrypted store.
  const objects = openObjectStore(parseStoreUrl(storeOf(host), "--store", env), { env, signal });
  const { fdCount, objectCount, byteCount } = await totalsOfBucket(objects);
  return { fds: fdCount, objects: objectCount, bytes: byteCount };
}

function dateOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** The numbers in the text format of Prometheus; counters start again at midnight UTC. */
export function metricsText({ facts }: Stats): string {
  const store = label("store", facts.store ?? "");
  let text = "";
  const metric = (name: string, type: "counter" | "gauge", help: string, samples: [string, number][]) => {
    if (samples.length === 0) return;
    text += `# HELP fdtool_${name} ${help}\n# TYPE fdtool_${name} ${type}\n`;
    for (const [labels, value] of samples) text += `fdtool_${name}{${store}${labels}} ${value}\n`;
  };
  const gauge = (name: string, help: string, value: number | undefined) =>
    metric(name, "gauge", help, value === undefined ? [] : [["", value]]);
  const secondsOf = (date: string | undefined) => date === undefined ? undefined : Date.parse(date) / 1000;
  const byKind = <Each extends { kind: string }>(all: readonly Each[], value: (each: Each) => number) =>
    all.map((each): [string, number] => [`,${label("kind", each.kind)}`, value(each)]);
  const { requests, errors } = facts;
  metric("requests_total", "counter", "Requests of this host.", byKind(requests, ({ count }) => count));
  metric(
    "request_bytes_total",
    "counter",
    "Bytes of bodies in both directions.",
    byKind(requests, ({ bytes }) => bytes),
  );
  metric("errors_total", "counter", "Requests that failed.", byKind(errors, ({ count }) => count));
  metric("shared_fds_total", "counter", "Fds that this host shared.", [["", facts.shared_fds]]);
  metric("shared_bytes_total", "counter", "Bytes of content that this host shared.", [[
    "",
    facts.shared_bytes,
  ]]);
  gauge("last_share_timestamp_seconds", "When this host last shared an fd.", secondsOf(facts.last_share));
  gauge("pending_fds", "Fds of this host that are not shared yet.", facts.pending);
  gauge(
    "oldest_pending_timestamp_seconds",
    "When the oldest of them was stored.",
    secondsOf(facts.oldest_pending),
  );
  gauge("highest_id", "The highest id that this host has heard of.", facts.highest_id);
  gauge("cached_fds", "Fds in the cache.", facts.cached_fds);
  gauge("cached_bytes", "Bytes of the cache.", facts.cached_bytes);
  gauge("cache_bound_bytes", "The most bytes of the cache; 0 for no bound.", facts.cache_bound);
  gauge("store_fds", "Fds in the bucket, removed ones too.", facts.fds);
  gauge("store_objects", "Objects in the bucket.", facts.objects);
  gauge("store_bytes", "Bytes in the bucket.", facts.bytes);
  return text;
}

function label(name: string, value: string): string {
  return `${name}="${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
