/** A simulated object store, its time, and hosts that use it. */

import { type Choices, choicesOf } from "../soaking/random_choices.ts";
import { type RequestFate, SimulatedHost } from "./simulated_host.ts";
import { type ServerRequest, SimulatedServer } from "./simulated_server.ts";
import { VirtualTime } from "./virtual_time.ts";

/** How often things go wrong, each as a share of all requests. */
export type FaultRates = Partial<Readonly<Record<RequestFate, number>>>;

export interface FleetOptions {
  seed: number;
  /** One way, in milliseconds; random up to twice as much. */
  latencyMs?: number | undefined;
  /** How far the server's clock is ahead. */
  serverAheadMs?: number | undefined;
  faults?: FaultRates | undefined;
}

/** 2026-01-01. */
const STARTED_MS = Date.UTC(2026, 0, 1);

export class SimulatedFleet {
  readonly time = new VirtualTime();
  readonly server: SimulatedServer;
  readonly choices: Choices;
  readonly #options: FleetOptions;
  #hosts = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.choices = choicesOf(options.seed);
    this.server = new SimulatedServer(() => STARTED_MS + (options.serverAheadMs ?? 0) + this.time.nowMs);
  }

  /** Adds a host. The fleet's rates decide on the requests for which `fate` is absent or returns undefined. */
  host(fate?: (request: ServerRequest, turn: number) => RequestFate | undefined): SimulatedHost {
    const { latencyMs = 12, faults = {}, seed } = this.#options;
    const choices = choicesOf(seed * 7919 + ++this.#hosts);
    return new SimulatedHost({
      time: this.time,
      server: this.server,
      choices,
      latencyMs: ({ fraction }) => latencyMs * (0.5 + 1.5 * fraction()),
      fate: (request, turn) => fate?.(request, turn) ?? fateBy(faults, choices.fraction()),
    });
  }

  /** The clock and the random numbers of an uploader on this fleet. */
  uploader(choices: Choices) {
    return {
      clock: { nowMs: () => this.time.nowMs, pause: (ms: number) => this.time.pause(ms) },
      random: () => choices.fraction(),
      newNonce: () => nonceOf(choices),
    };
  }
}

/** Faults of a network, and hosts that die or stand still. */
export const NETWORK_FAULTS: readonly RequestFate[] = [
  ...["request lost", "request late", "answer lost", "503"] as const,
  ...["killed before", "killed after", "frozen before"] as const,
];

/** Half of these faults, each with one of the rates. */
export function drawRates(
  choices: Choices,
  fates: readonly RequestFate[],
  rates: readonly number[],
): FaultRates {
  return Object.fromEntries(fates.filter(() => choices.onceIn(2)).map((fate) => [fate, choices.one(rates)]));
}

function fateBy(faults: FaultRates, drawn: number): RequestFate {
  let left = drawn;
  for (const [fate, rate] of Object.entries(faults)) {
    left -= rate;
    if (left < 0) return fate as RequestFate;
  }
  return "arrives";
}

export function nonceOf(choices: Choices): Uint8Array {
  return Uint8Array.from({ length: 16 }, () => choices.whole(0, 255));
}
