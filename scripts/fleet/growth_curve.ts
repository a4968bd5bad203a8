/** Requests of single actions on stores of a thousand to a million fds, measured; and to 100 million, computed from those. */

import { highestShared } from "../../fd/shared/objects/claim_shared_id.ts";
import { listAllShared, listNewestShared } from "../../fd/shared/objects/list_shared.ts";
import { HINT_EVERY, raiseHint } from "../../fd/shared/objects/next_object.ts";
import { fdKey } from "../../fd/shared/objects/shared_keys.ts";
import { labelledContent, sampleObject } from "./sample_upload.ts";
import { nonceOf, SimulatedFleet } from "./simulated_fleet.ts";
import type { SimulatedHost } from "./simulated_host.ts";

/** Requests and simulated milliseconds of one action. */
export interface CurvePoint {
  fdCount: number;
  action: string;
  requests: number;
  ms: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const LIMITS = { quotaBytes: 1e15, ttlMs: 30 * DAY_MS };

/** Measures a store of `fdCount` small fds, whose listings exist, except of the newest thousand. */
export async function measureStore(fdCount: number, latencyMs: number): Promise<CurvePoint[]> {
  const fleet = new SimulatedFleet({ seed: 1, latencyMs });
  for (let id = 1; id <= fdCount; id++) {
    fleet.server.damage(fdKey(id), sampleObject(nonceOf(fleet.choices), labelledContent("", 10)));
  }
  const points: CurvePoint[] = [];
  const measure = async (action: string, run: (host: SimulatedHost) => Promise<unknown>) => {
    const host = fleet.host();
    const startMs = fleet.time.nowMs;
    await run(host);
    points.push({ fdCount, action, requests: host.requestCount, ms: Math.round(fleet.time.nowMs - startMs) });
  };
  /** Cleans as often as it takes: one cleaning lasts ten minutes at most. */
  const clean = async (host: SimulatedHost) => {
    while ((await fleet.clean(host, LIMITS)).ended === "cut");
  };
  await fleet.time.run([async () => {
    // As the claims of the newest 128 leave it.
    const hinted = fdCount - fdCount % HINT_EVERY;
    for (let back = 7 * HINT_EVERY; back >= 0; back -= HINT_EVERY) {
      if (hinted - back > 0) await raiseHint(fleet.host(), hinted - back);
    }
    await measure("highest id, nothing known", (host) => highestShared(host));
    await measure("ls, newest 100, no listing", (host) => listNewestShared(host, 100, () => undefined));
    await measure("first cleaning: makes all listings", clean);
    await measure("ls, newest 100", (host) => listNewestShared(host, 100, () => undefined));
    await measure("ls --all", (host) => listAllShared(host, () => undefined));
    await measure("cleaning, nothing to remove", clean);
  }]);
  return points;
}

/** Requests of an action on a store of `fdCount` fds, by its rules (SHARED.md). */
export const COMPUTED: Readonly<Record<string, (fdCount: number) => number>> = {
  "highest id, nothing known": () => 2,
  "ls, newest 100, no listing": (fdCount) => 9 + fdCount % HINT_EVERY,
  "ls, newest 100": () => 9,
  "ls --all": (fdCount) => 2 * groupsOf(fdCount) + 5,
  "first cleaning: makes all listings": (fdCount) => fdCount + 3 * groupsOf(fdCount) + 12,
  "cleaning, nothing to remove": (fdCount) => Math.ceil(fdCount / 1e6) + 17,
};

/** Groups that ids up to `fdCount` are in. */
function groupsOf(fdCount: number): number {
  return Math.floor(fdCount / 1000) + 1;
}
