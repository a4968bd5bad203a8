/** Reads the contents of a simulated object store without requests, to compare them with what was published. */

import { joinBytes } from "../../fd/bytes/utf8_bytes.ts";
import { objectParts } from "../../fd/packs/object_form.ts";
import { decodeShared, type SharedFd, type SharedState, stateOf } from "../../fd/shared/objects/fd_object.ts";
import {
  FD_PREFIX,
  fdKey,
  idOfKey,
  OFFLINE_PREFIX,
  segmentKey,
} from "../../fd/shared/objects/shared_keys.ts";
import type { SimulatedServer } from "./simulated_server.ts";

export interface SharedContent {
  id: number;
  content: Uint8Array;
  state: SharedState;
}

/** The object of an fd; undefined if there is none. Throws if it is damaged. */
export function sharedFd(server: SimulatedServer, id: number): SharedFd | undefined {
  const object = server.read(fdKey(id));
  return object === undefined
    ? undefined
    : decodeShared(id, { ...object, byteCount: object.bytes.length, serverNowMs: server.nowMs }, undefined);
}

/** All fds that are not removed, by id. Throws if one is damaged or has too few bytes. */
export function sharedContents(server: SimulatedServer): SharedContent[] {
  const contents: SharedContent[] = [];
  for (const key of [...server.keys(FD_PREFIX), ...server.keys(OFFLINE_PREFIX)]) {
    const id = idOfKey(key)!;
    const fd = sharedFd(server, id)!;
    const state = stateOf(fd);
    if (state === "removed") continue;
    contents.push({ id, content: readContent(server, fd), state });
  }
  return contents;
}

/** Reads all content of an fd that is not removed. */
export function readContent(server: SimulatedServer, { id, bytes, header, log }: SharedFd): Uint8Array {
  const parts = [];
  const { stored, seal } = log;
  for (let at = 0; stored !== undefined && at < stored.bytes; at += stored.segment_bytes) {
    const segment = server.read(segmentKey(id, stored.data, at / stored.segment_bytes));
    const wanted = Math.min(stored.segment_bytes, stored.bytes - at);
    if (segment?.bytes.length !== wanted) throw new Error(`fd:${id} has no segment at byte ${at}`);
    parts.push(segment.bytes);
  }
  const content = joinBytes([...parts, objectParts(bytes, header).content]);
  if (seal !== undefined && seal.bytes !== content.length) {
    throw new Error(`fd:${id} has ${content.length} of ${seal.bytes} bytes`);
  }
  return content;
}
