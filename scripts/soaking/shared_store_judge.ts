/** Judges a simulated object store after hosts have used it. */

import { utf8Text } from "../../fd/bytes/utf8_bytes.ts";
import { FdError } from "../../fd/disk/errors.ts";
import type { SharedFd } from "../../fd/shared/objects/fd_object.ts";
import type { UploadSource } from "../../fd/shared/objects/publish_fd.ts";
import { FD_PREFIX, idOfKey, OFFLINE_PREFIX } from "../../fd/shared/objects/shared_keys.ts";
import { readContent, sharedFd } from "../fleet/shared_contents.ts";
import type { SimulatedFleet } from "../fleet/simulated_fleet.ts";

/** The actions of hosts on a store. */
export interface SharedHistory {
  /** Content by its label, from the moment when publishing began. */
  published: Map<string, Uint8Array>;
  /** By the name of the note. */
  sources: Map<string, { label: string; source: UploadSource }>;
  /** The ids that each name was bound to; `isCertain` if no host failed while binding it. */
  bound: Map<string, { ids: Set<number>; isCertain: boolean }>;
  /** The ids that each label's claims got. */
  ids: Map<string, Set<number>>;
  /** When the publishing of a label began, by the server's clock. */
  startedMs: Map<string, number>;
  /** Ids that hosts tried to remove. */
  removals: Set<number>;
  /** Whether credentials of hosts end now and then. */
  doCredentialsEnd: boolean;
  ttlMs: number;
  quotaBytes: number;
}

/** Throws if anything is lost or there twice, or something named was removed. */
export function judgeSharedStore(fleet: SimulatedFleet, history: SharedHistory): void {
  const { server } = fleet;
  /** Ids by the label of their content. */
  const found = new Map<string, number[]>();
  const tombs = new Map<number, SharedFd>();
  for (const key of [...server.keys(FD_PREFIX), ...server.keys(OFFLINE_PREFIX)]) {
    const id = idOfKey(key)!;
    const fd = sharedFd(server, id)!;
    if (fd.log.tomb === undefined) {
      const content = readContent(server, fd);
      const label = utf8Text(content.subarray(0, content.indexOf(0x3b) + 1));
      const wanted = history.published.get(label);
      if (wanted === undefined) throw new Error(`fd:${id} has content that no host published: ${label}`);
      if (fd.log.seal === undefined) throw new Error(`fd:${id} is still live`);
      if (content.join() !== wanted.join()) throw new Error(`fd:${id} has other bytes than ${label}`);
      found.set(label, [...found.get(label) ?? [], id]);
    } else tombs.set(id, fd);
    judgeTomb(fd, history);
  }
  for (const [label, ids] of found) {
    if (ids.length > 1) throw new Error(`${label} is there ${ids.length} times: fd:${ids.join(", fd:")}`);
  }
  for (const label of history.published.keys()) {
    const ids = [...history.ids.get(label) ?? []];
    const removed = ids.map((id) => tombs.get(id)).find((fd) => fd !== undefined);
    if (!found.has(label) && removed === undefined) {
      throw new Error(`${label} is lost; it had fd:${ids.join(", fd:")}`);
    }
    const ended = removed?.log.seal?.ended === "whole" && removed.log.tomb?.why === "removed by rm";
    if (found.has(label) && ended) throw new Error(`${label} is there again after it was removed`);
    const youngestMs = history.startedMs.get(label)! + history.ttlMs - 1000;
    const tomb = removed?.log.tomb;
    if (tomb?.why === "older than the age limit" && tomb.at < youngestMs) {
      throw new Error(`${label} was removed ${youngestMs - tomb.at} ms before its age`);
    }
  }
  judgeNames(fleet, history);
}

function isByCleaning({ log }: SharedFd): boolean {
  return log.tomb?.why === "older than the age limit" || log.tomb?.why === "over the store's quota" ||
    log.tomb?.why === "removed by an interrupted cleaning";
}

function judgeTomb(fd: SharedFd, history: SharedHistory): void {
  const why = fd.log.tomb?.why;
  if (why === undefined || isByCleaning(fd) || why.startsWith("not used: published as fd:")) return;
  if (why !== "removed by rm" || !history.removals.has(fd.id)) {
    throw new Error(`fd:${fd.id} was removed: ${why}`);
  }
}

function judgeNames(
  { server }: SimulatedFleet,
  history: SharedHistory,
): void {
  for (const [name, { ids, isCertain }] of history.bound) {
    if (!isCertain) continue;
    const id = Number(utf8Text(server.read(`v1/ref/${name}`)!.bytes).split(" ")[0]);
    if (!ids.has(id)) throw new Error(`${name} names fd:${id}, which no host bound it to`);
    const fd = sharedFd(server, id);
    if (fd === undefined) throw new Error(`fd:${id}, which ${name} names, is not there`);
    if (isByCleaning(fd)) {
      throw new FdError({ kind: "store_corrupt", fd: `fd:${id}`, path: name, what: "named, and cleaned" });
    }
  }
}
