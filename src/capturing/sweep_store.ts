/** Cleans the store now and then after storing. The answer does not wait for it, and the fds it names stay. */

import process from "node:process";
import { isSweepDue, sweepSometimes } from "../../fd/mod.ts";
import { FdError, type FdFailure } from "../../fd/system.ts";
import { type OutputResult, storedPart } from "./store_output.ts";

/** Ignored during cleaning, which is nearly done; the exit code must be that of the work before it. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Cleans the store of `results` if that is due. Returns why it was not completely cleaned. */
export async function sweepStore(results: readonly OutputResult[]): Promise<FdFailure[]> {
  const stored = results.flatMap((each) => each.kind === "failed" ? [] : storedPart(each) ?? []);
  const store = stored[0]?.store;
  const nowMs = Date.now();
  if (store === undefined || !isSweepDue(store, nowMs)) return [];
  const ignore = () => {};
  for (const signal of SIGNALS) process.on(signal, ignore);
  try {
    const report = await sweepSometimes(store, nowMs, stored.map(({ entry }) => entry.id));
    if (report === undefined || report.doubtedCount === 0) return [];
    const { doubtedCount, clockAheadMs } = report;
    return [{ kind: "clock_doubted", doubtedCount, clockAheadMs }];
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return [thrown.failure];
  } finally {
    for (const signal of SIGNALS) process.off(signal, ignore);
  }
}
