/** `store stats`: what a host asked of a shared store and shared, and what the bucket has, also as metrics. */

import { type CacheFacts, openObjectStore, parseStoreUrl, totalsOfBucket } from "../../fd/mod.ts";
import type { Host } from "../calls/terms/command.ts";
import type { ReportOf } from "../calls/terms/reports.ts";
import { storeOf } from "./open_cache.ts";

type Facts = ReportOf<"store_shown">["facts"];

/** All kinds, so that a metric is there before its first event. */
const REQUESTS = ["get", "head", "list", "put", "delete"];
const ERRORS = ["unreachable", "denied", "throttled", "server", "refused"];

/** Numbers of this host since midnight UTC, without a request; with `isRemote`, those of the bucket too. */
export async function statsOf(
  { today: { requests, errors, shared }, pending }: CacheFacts,
  { env, signal, ...host }: Host,
  isRemote: boolean,
): Promise<Partial<Facts>> {
  const NONE = { count: 0, byteCount: 0 };
  const dateOf = (ms: number | undefined) => ms === undefined ? undefined : new Date(ms).toISOString();
  const { count: sharedCount, byteCount: sharedBytes } = shared.counts.get("fd") ?? NONE;
  // Sizes as they are in the bucket, which need no key of an encrypted store.
  const bucket = () =>
    openObjectStore(parseStoreUrl(storeOf({ env, ...host }), "--store", env), { env, signal });
  return {
    shared_fds: sharedCount,
    shared_bytes: sharedBytes,
    last_share: dateOf(shared.lastMs),
    oldest_pending: dateOf(pending.map(({ sinceMs }) => sinceMs).sort((a, b) => a - b)[0]),
    ...isRemote ? await totalsOfBucket(bucket()) : {},
    requests: REQUESTS.map((kind) => {
      const { count, byteCount } = requests.counts.get(kind) ?? NONE;
      return { kind, count, bytes: byteCount };
    }),
    errors: ERRORS.map((kind) => ({ kind, count: errors.counts.get(kind)?.count ?? 0 })),
  };
}

/** Metrics by the facts that they are made of; a date is one in seconds. */
const METRICS: readonly (readonly [keyof Facts, string, string])[] = [
  ["shared_fds", "shared_fds_total", "Fds that this host shared."],
  ["shared_bytes", "shared_bytes_total", "Bytes of content that this host shared."],
  ["last_share", "last_share_timestamp_seconds", "When this host last shared an fd."],
  ["pending", "pending_fds", "Fds of this host that are not shared yet."],
  ["oldest_pending", "oldest_pending_timestamp_seconds", "When the oldest of them was stored."],
  ["highest_id", "highest_id", "The highest id that this host has heard of."],
  ["cached_fds", "cached_fds", "Fds in the cache."],
  ["cached_bytes", "cached_bytes", "Bytes of the cache."],
  ["cache_bound", "cache_bound_bytes", "The most bytes of the cache; 0 for no bound."],
  ["fds", "store_fds", "Fds in the bucket, removed ones too."],
  ["objects", "store_objects", "Objects in the bucket."],
  ["bytes", "store_bytes", "Bytes in the bucket."],
];

/** The numbers in the text format of Prometheus; counters start again at midnight UTC. */
export function metricsText(facts: Facts): string {
  const store = `store="${(facts.store ?? "").replace(/[\\"]/g, "\\$&")}"`;
  const metric = (name: string, help: string, samples: readonly string[]) => {
    const type = name.endsWith("_total") ? "counter" : "gauge";
    const lines = [`# HELP fdtool_${name} ${help}`, `# TYPE fdtool_${name} ${type}`];
    return [...lines, ...samples.map((sample) => `fdtool_${name}{${store}${sample}`), ""].join("\n");
  };
  const ofKinds = (all: Facts["errors"] | Facts["requests"], field: "count" | "bytes") =>
    (all ?? []).map((each) =>
      `,kind="${each.kind}"} ${field === "bytes" && "bytes" in each ? each.bytes : each.count}`
    );
  return [
    metric("requests_total", "Requests of this host.", ofKinds(facts.requests, "count")),
    metric("request_bytes_total", "Bytes of bodies in both directions.", ofKinds(facts.requests, "bytes")),
    metric("errors_total", "Requests that failed.", ofKinds(facts.errors, "count")),
    ...METRICS.flatMap(([fact, name, help]) => {
      const value = facts[fact];
      if (value === undefined) return [];
      return metric(name, help, [
        `} ${typeof value === "string" ? Date.parse(value) / 1000 : String(value)}`,
      ]);
    }),
  ].join("");
}
