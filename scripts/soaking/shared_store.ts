/**
 * Hosts that share a simulated object store while requests and answers are lost, late or refused, hosts die or stand still for
 * an hour, clocks are off, and credentials end. Nothing is lost, nothing is
 * there twice, and nothing named is removed.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FdError } from "../../fd/disk/errors.ts";
import { cleanShared } from "../../fd/shared/objects/clean_shared.ts";
import { listAllShared, listNewestShared } from "../../fd/shared/objects/list_shared.ts";
import { listPending, readPending, startPending } from "../../fd/shared/objects/pending_upload.ts";
import { publishFd, type UploadSource } from "../../fd/shared/objects/publish_fd.ts";
import { removeShared } from "../../fd/shared/objects/remove_shared.ts";
import { hexOf } from "../../fd/bytes/utf8_bytes.ts";
import { bindSharedName } from "../../fd/shared/objects/shared_names.ts";
import { openShared } from "../../fd/shared/objects/store_object.ts";
import { labelledContent, sampleUpload } from "../fleet/sample_upload.ts";
import { drawRates, NETWORK_FAULTS, nonceOf, SimulatedFleet } from "../fleet/simulated_fleet.ts";
import { Killed, type SimulatedHost } from "../fleet/simulated_host.ts";
import { type FaultClass, trying } from "./fault_class.ts";
import { type Choices, choicesOf, weighted } from "./random_choices.ts";
import { judgeSharedStore, type SharedHistory } from "./shared_store_judge.ts";

const HOUR_MS = 60 * 60 * 1000;
/** Small, so that a few hundred bytes are many segments. */
const SIZES = { mostInsideBytes: 100, segmentBytes: 250 };
const TTL_MS = 48 * HOUR_MS;
/** Failures that a host reports and goes on after. */
const TOLERATED = "store_unreachable store_denied removed not_found invalid_parameter store_corrupt".split(
  " ",
);

export const sharedStore: FaultClass = {
  name: "shared-store",
  what:
    "hosts share a store while requests are lost, late or refused, hosts die or stand still, credentials end: " +
    "nothing is lost or there twice, nothing named is removed",
  round: trying(1, (choices, _, seed) => playRound(seed, choices)),
};

async function playRound(seed: number, choices: Choices): Promise<void> {
  const fleet = new SimulatedFleet({
    seed,
    faults: drawRates(choices, [...NETWORK_FAULTS, "409", "frozen after"], [0.005, 0.02, 0.08]),
    serverAheadMs: choices.whole(-12, 12) * HOUR_MS,
  });
  const directory = mkdtempSync(join(tmpdir(), "fdtool-fleet-"));
  const history: SharedHistory = {
    published: new Map(),
    sources: new Map(),
    bound: new Map(),
    ids: new Map(),
    startedMs: new Map(),
    removals: new Set(),
    doCredentialsEnd: seed % 3 === 0,
    ttlMs: choices.onceIn(3) ? 0 : TTL_MS,
    quotaBytes: choices.onceIn(2) ? 0 : choices.whole(2, 20) * 1000,
  };
  try {
    const hosts = Array.from({ length: choices.whole(2, 6) }, (_, number) => {
      return new SoakHost(
        fleet,
        history,
        join(directory, String(number)),
        number,
        choicesOf(seed * 100 + number),
      );
    });
    const turns = choices.whole(5, 25);
    await fleet.time.run(hosts.map((host) => () => host.play(turns)));
    // Late requests arrive; then every note is finished on a network without faults.
    await fleet.time.run([() => fleet.time.pause(3 * HOUR_MS)]);
    await fleet.time.run(hosts.map((host) => () => host.finish()));
    judgeSharedStore(fleet, history);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** One host: it acts at random, and after a kill goes on from its notes. */
class SoakHost {
  #objects: SimulatedHost;
  #labels = 0;
  #deniedUntilMs = 0;

  constructor(
    private readonly fleet: SimulatedFleet,
    private readonly history: SharedHistory,
    private readonly directory: string,
    private readonly number: number,
    private readonly choices: Choices,
  ) {
    this.#objects = this.#start();
  }

  /** The network as the host sees it from its start on; its credentials end now and then, some for good. */
  #start(): SimulatedHost {
    const { time } = this.fleet;
    return this.fleet.host(() => {
      if (time.nowMs >= this.#deniedUntilMs && this.history.doCredentialsEnd && this.choices.onceIn(60)) {
        this.#deniedUntilMs = time.nowMs + this.choices.one([1000, HOUR_MS, 20 * HOUR_MS, Infinity]);
      }
      return time.nowMs < this.#deniedUntilMs ? "denied" : undefined;
    });
  }

  async play(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      await this.#tolerantly(() => this.#act());
      const pauseMs = this.choices.one([0, 100, 1000, 60_000, HOUR_MS, 20 * HOUR_MS]);
      await this.fleet.time.pause(pauseMs * this.choices.fraction());
    }
  }

  /** Finishes every note without faults. */
  async finish(): Promise<void> {
    this.#objects = this.fleet.host(() => "arrives");
    for (const name of listPending(this.directory)) await this.#resume(name);
  }

  /** Runs an action that may be killed, or may not reach the store. */
  async #tolerantly(action: () => Promise<unknown>): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (thrown) {
      if (thrown instanceof Killed) {
        this.#objects = this.#start();
        // The machine may be off for days.
        if (this.choices.onceIn(8)) await this.fleet.time.pause(72 * HOUR_MS * this.choices.fraction());
        return false;
      }
      if (thrown instanceof FdError && TOLERATED.includes(thrown.failure.kind)) return false;
      throw thrown;
    }
  }

  async #act(): Promise<void> {
    const choices = this.choices;
    const [note] = listPending(this.directory);
    if (note !== undefined && choices.onceIn(2)) return await this.#resume(note);
    const acts = weighted<() => Promise<unknown>>(
      [2, () => this.#bind()],
      [1, () => this.#remove()],
      [2, () => this.#clean()],
      [1, () => listNewestShared(this.#objects, 10, () => undefined)],
      [1, () => listAllShared(this.#objects, () => undefined)],
      [5, () => this.#publish()],
    );
    await choices.one(acts)();
  }

  async #publish(): Promise<void> {
    const label = `${this.number}-${++this.#labels};`;
    const content = labelledContent(label, this.choices.one([20, 90, 400, 1500]));
    const startMs = this.fleet.time.nowMs;
    const perMs = this.choices.one([Infinity, Infinity, 1, 0.01]);
    const source = sampleUpload(content, () => Math.floor((this.fleet.time.nowMs - startMs) * perMs) || 0);
    this.history.published.set(label, content);
    this.history.startedMs.set(label, this.fleet.server.nowMs);
    const note = startPending(this.directory, nonceOf(this.choices), { localId: this.#labels });
    // After a kill the content that came is all there is; here, the whole.
    this.history.sources.set(note.name, { label, source: sampleUpload(content) });
    await this.#share(note.name, perMs === Infinity ? sampleUpload(content) : source);
  }

  async #resume(name: string): Promise<void> {
    const source = this.history.sources.get(name)!.source;
    const pending = readPending(this.directory, name)!;
    const mayGoOffline = pending.claimedId === undefined && pending.offlineId === undefined;
    if (mayGoOffline && this.choices.onceIn(3)) {
      pending.goOffline(
        2 ** 46 + this.number * 1000 + this.#labels * 7 + this.choices.whole(0, 2 ** 30) * 10_000,
      );
    }
    await this.#share(name, source);
  }

  async #share(name: string, source: UploadSource): Promise<void> {
    await publishFd(this.#objects, source, readPending(this.directory, name)!, {
      ...this.fleet.uploader(this.choices),
      sizes: SIZES,
      host: `host-${this.number}`,
      onClaimed: (id) => {
        const { label } = this.history.sources.get(name)!;
        this.history.ids.set(label, (this.history.ids.get(label) ?? new Set()).add(id));
      },
    });
  }

  /** An fd that is probably there. */
  async #someId(): Promise<number | undefined> {
    const fds = await listNewestShared(this.#objects, this.choices.one([3, 50]), () => undefined);
    return fds.length === 0 ? undefined : this.choices.one(fds).id;
  }

  async #bind(): Promise<void> {
    const id = await this.#someId();
    if (id === undefined) return;
    const name = this.choices.onceIn(2)
      ? `shared-${this.choices.whole(1, 3)}`
      : `own-${this.number}-${this.#objects.requestCount}`;
    const history = this.history.bound.get(name) ?? { ids: new Set<number>(), isCertain: true };
    this.history.bound.set(name, history);
    const isDone = await this.#tolerantly(async () => {
      await bindSharedName(this.#objects, name, id, () => hexOf(nonceOf(this.choices)));
      history.ids.add(id);
    });
    if (!isDone) history.isCertain = false;
  }

  async #remove(): Promise<void> {
    const id = await this.#someId();
    if (id === undefined) return;
    this.history.removals.add(id);
    await removeShared(this.#objects, id, "removed by rm");
  }

  async #clean(): Promise<void> {
    const { ttlMs, quotaBytes } = this.history;
    const newNonce = () => hexOf(nonceOf(this.choices));
    const { quotaBytes: quota, ttlMs: ttl } = await openShared(this.#objects, {
      id: newNonce().slice(0, 24),
      quotaBytes,
      ttlMs,
    });
    await cleanShared(this.#objects, { quotaBytes: quota, ttlMs: ttl }, {
      newNonce,
      onUnreadable: () => undefined,
    });
  }
}
