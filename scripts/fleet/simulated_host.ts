/**
 * A host of a simulated fleet: the object store as it sees it, through a network that delays, loses and repeats, with the
 * retries of the real client.
 */

import { FdError } from "../../fd/disk/errors.ts";
import type {
  Listing,
  ObjectFacts,
  ObjectPart,
  ObjectRange,
  ObjectStore,
  OwnWrite,
  Written,
} from "../../fd/shared/remote/object_store.ts";
import type { Choices } from "../soaking/random_choices.ts";
import type { ServerAnswer, ServerRequest, SimulatedServer } from "./simulated_server.ts";
import type { VirtualTime } from "./virtual_time.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The fate of one request. */
export type RequestFate =
  | "arrives"
  /** It never arrives, and the host waits for its deadline. */
  | "request lost"
  /** It arrives up to an hour after the deadline. */
  | "request late"
  /** It was carried out, and the host waits for its deadline. */
  | "answer lost"
  | "503"
  | "409"
  /** The host's credentials have ended: it is refused, and does not ask again. */
  | "denied"
  /** The host dies before the request is sent, or after it was carried out. */
  | "killed before"
  | "killed after"
  /** The host stands still for an hour before the request is sent, or after it was carried out. */
  | "frozen before"
  | "frozen after";

/** Ends a simulated host; nothing may catch it. */
export class Killed extends Error {}

export interface HostOptions {
  time: VirtualTime;
  server: SimulatedServer;
  choices: Choices;
  /** One way, in milliseconds. */
  latencyMs(choices: Choices): number;
  /** The fate of request `turn` (from 0, repetitions included). */
  fate(request: ServerRequest, turn: number): RequestFate;
}

const DEADLINE_MS = 10_000;
const REPETITIONS = 4;
const FREEZE_MS = 60 * 60 * 1000;

export class SimulatedHost implements ObjectStore {
  /** Bytes that reads brought. */
  receivedBytes = 0;
  readonly #options: HostOptions;
  #turn = 0;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  get requestCount(): number {
    return this.#turn;
  }

  async get(key: string, range?: ObjectRange): Promise<ObjectPart | null> {
    const answer = await this.#send({ verb: "get", key });
    if (answer.object === undefined) return null;
    const { bytes } = answer.object;
    const part = bytes.slice(
      range?.from ?? 0,
      range === undefined ? undefined : range.from + range.byteCount,
    );
    this.receivedBytes += part.length;
    return { ...factsOf(answer), bytes: part };
  }

  async head(key: string): Promise<ObjectFacts | null> {
    const answer = await this.#send({ verb: "head", key });
    return answer.object === undefined ? null : factsOf(answer);
  }

  create(key: string, bytes: Bytes, isOwn?: OwnWrite): Promise<Written | null> {
    return this.#write({ verb: "put", key, bytes, ifNoneMatch: true }, isOwn);
  }

  replace(key: string, bytes: Bytes, etag: string, isOwn?: OwnWrite): Promise<Written | null> {
    return this.#write({ verb: "put", key, bytes, ifMatch: etag }, isOwn);
  }

  async put(key: string, bytes: Bytes): Promise<Written> {
    return writtenBy(await this.#send({ verb: "put", key, bytes }));
  }

  async remove(key: string): Promise<void> {
    await this.#send({ verb: "delete", key });
  }

  async list(prefix: string, after?: string, most = 1000): Promise<Listing> {
    const { listed, serverNowMs } = await this.#send({ verb: "list", prefix, after, most });
    return { ...listed!, serverNowMs };
  }

  /** Writes under a condition. After a refusal the object is read back, as the real client does. */
  async #write(
    request: Extract<ServerRequest, { verb: "put" }>,
    isOwn = (stored: Uint8Array) => isSame(stored, request.bytes),
  ): Promise<Written | null> {
    const answer = await this.#send(request);
    if (answer.status === 200) return writtenBy(answer);
    if (answer.status === 404) return null;
    const now = await this.get(request.key);
    return now !== null && isOwn(now.bytes) ? { etag: now.etag, serverNowMs: now.serverNowMs } : null;
  }

  /** Sends a request until it is answered. */
  async #send(request: ServerRequest): Promise<ServerAnswer> {
    for (let tries = 0;; tries++) {
      const answer = await this.#sendOnce(request);
      if (answer !== undefined && answer.status !== 503 && answer.status !== 409) {
        return answer;
      }
      if (tries === REPETITIONS) {
        throw new FdError({
          kind: "store_unreachable",
          store: "simulated",
          action: request.verb,
          reason: answer === undefined ? "timeout" : `status ${answer.status}`,
        });
      }
      await this.#options.time.pause(this.#options.choices.fraction() * 100 * 2 ** tries);
    }
  }

  /** Sends a request once; undefined if there was no answer in time. */
  async #sendOnce(request: ServerRequest): Promise<ServerAnswer | undefined> {
    const { time, server, choices, latencyMs, fate } = this.#options;
    const what = fate(request, this.#turn++);
    if (what === "killed before") throw new Killed("killed before a request");
    if (what === "frozen before") await time.pause(FREEZE_MS);
    if (what === "request late") {
      const arrivesMs = latencyMs(choices) + DEADLINE_MS + choices.fraction() * FREEZE_MS;
      time.pause(arrivesMs).then(() => server.answer(request));
    }
    if (what === "request late" || what === "request lost") return void await time.pause(DEADLINE_MS);
    await time.pause(latencyMs(choices));
    if (what === "503" || what === "409") {
      await time.pause(latencyMs(choices));
      return { status: what === "503" ? 503 : 409, serverNowMs: 0 };
    }
    if (what === "denied") {
      await time.pause(latencyMs(choices));
      throw new FdError({
        kind: "store_denied",
        store: "simulated",
        action: request.verb,
        reason: "400 ExpiredToken",
      });
    }
    const answer = server.answer(request);
    if (what === "killed after") throw new Killed("killed after a request");
    if (what === "answer lost") return void await time.pause(DEADLINE_MS);
    await time.pause(latencyMs(choices) + (what === "frozen after" ? FREEZE_MS : 0));
    return answer;
  }
}

function isSame(some: Uint8Array, others: Uint8Array): boolean {
  return some.length === others.length && some.every((byte, at) => byte === others[at]);
}

function writtenBy({ object, serverNowMs }: ServerAnswer): Written {
  return { etag: object!.etag, serverNowMs };
}

function factsOf({ object, serverNowMs }: ServerAnswer): ObjectFacts {
  const { etag, bytes, modifiedAtMs } = object!;
  return { etag, byteCount: bytes.length, modifiedAtMs, serverNowMs };
}
