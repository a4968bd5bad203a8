/**
 * An object store in memory that keeps the conditions of S3 exactly. It answers at once; `simulated_host.ts` has the network
 * between it and its callers.
 */

import { createHash } from "node:crypto";
import type { ListedObject } from "../../fd/shared/remote/object_store.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export interface StoredObject {
  bytes: Bytes;
  etag: string;
  modifiedAtMs: number;
}

export type ServerRequest =
  | { verb: "get" | "head" | "delete"; key: string }
  | { verb: "put"; key: string; bytes: Bytes; ifNoneMatch?: boolean; ifMatch?: string }
  | { verb: "list"; prefix: string; after: string | undefined; most: number };

/** Status codes are those of HTTP. `object` is set for 200. */
export interface ServerAnswer {
  status: 200 | 204 | 404 | 409 | 412 | 503;
  serverNowMs: number;
  object?: StoredObject;
  listed?: { objects: ListedObject[]; isCut: boolean };
}

/** Keys are kept sorted for each pair of first folders, since most new keys of one are at its end. */
export class SimulatedServer {
  readonly #folders = new Map<string, string[]>();
  readonly #objects = new Map<string, StoredObject>();
  readonly #now: () => number;

  /** `now` is the server's clock, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  answer(request: ServerRequest): ServerAnswer {
    const serverNowMs = Math.floor(this.#now() / 1000) * 1000;
    if (request.verb === "list") {
      return { status: 200, serverNowMs, listed: this.#list(request.prefix, request.after, request.most) };
    }
    const held = this.#objects.get(request.key);
    switch (request.verb) {
      case "get":
      case "head":
        return held === undefined ? { status: 404, serverNowMs } : { status: 200, serverNowMs, object: held };
      case "delete":
        if (held !== undefined) this.damage(request.key, undefined);
        return { status: 204, serverNowMs };
      case "put":
        if (request.ifNoneMatch === true && held !== undefined) return { status: 412, serverNowMs };
        if (request.ifMatch !== undefined && held === undefined) return { status: 404, serverNowMs };
        if (request.ifMatch !== undefined && held?.etag !== request.ifMatch) {
          return { status: 412, serverNowMs };
        }
        return { status: 200, serverNowMs, object: this.#put(request.key, request.bytes, serverNowMs) };
    }
  }

  /** Changes or deletes an object without asking, as a person with access to the bucket can. */
  damage(key: string, bytes: Bytes | undefined): void {
    if (bytes !== undefined) {
      this.#put(key, bytes, Math.floor(this.#now()));
      return;
    }
    if (!this.#objects.delete(key)) return;
    const keys = this.#folders.get(folderOf(key))!;
    keys.splice(firstNotBefore(keys, key), 1);
  }

  read(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  /** All keys that start with `prefix`, which names at least two folders, in order. */
  keys(prefix: string): string[] {
    return this.#list(prefix, undefined, Infinity).objects.map(({ key }) => key);
  }

  get nowMs(): number {
    return this.#now();
  }

  get objectCount(): number {
    return this.#objects.size;
  }

  #put(key: string, bytes: Bytes, modifiedAtMs: number): StoredObject {
    const etag = createHash("md5").update(bytes).digest("hex");
    const object = { bytes, etag, modifiedAtMs };
    if (!this.#objects.has(key)) {
      const folder = folderOf(key);
      const keys = this.#folders.get(folder);
      if (keys === undefined) this.#folders.set(folder, [key]);
      else if (keys.length === 0 || key > keys.at(-1)!) keys.push(key);
      else keys.splice(firstNotBefore(keys, key), 0, key);
    }
    this.#objects.set(key, object);
    return object;
  }

  #list(
    prefix: string,
    after: string | undefined,
    most: number,
  ): { objects: ListedObject[]; isCut: boolean } {
    const keys = this.#folders.get(folderOf(prefix)) ?? [];
    const objects: ListedObject[] = [];
    const from = after !== undefined && after > prefix ? after : prefix;
    for (let at = firstNotBefore(keys, from); at < keys.length; at++) {
      const key = keys[at]!;
      if (!key.startsWith(prefix)) break;
      if (key === after) continue;
      if (objects.length === most) return { objects, isCut: true };
      const { bytes, etag, modifiedAtMs } = this.#objects.get(key)!;
      objects.push({ key, etag, byteCount: bytes.length, modifiedAtMs });
    }
    return { objects, isCut: false };
  }
}

function folderOf(key: string): string {
  const second = key.indexOf("/", key.indexOf("/") + 1);
  return second === -1 ? "" : key.slice(0, second);
}

/** The first place in the sorted `keys` whose key is not before `key`. */
function firstNotBefore(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
