/** Shares what a call stores: under a random id at first, and once it is sealed or large, under one of the shared store. */

import { fail } from "../../disk/errors.ts";
import { NEEDED_SOURCES } from "../../records/record_line.ts";
import { type PendingUpload, startPending } from "../objects/pending_upload.ts";
import type { Backend } from "../../store/backend.ts";
import { pendingDirectory } from "../../store/cache_paths.ts";
import { isKeptOnHost, offlineId } from "../../store/fd_id.ts";
import { makeStore } from "../../store/open_store.ts";
import type { CacheState } from "./cache_state.ts";
import { unreachable, wasUnreachable } from "./marks.ts";
import { allPending } from "./pending_fds.ts";
import type { Uploader } from "./share_in_time.ts";

type Writing = Pick<
  Backend,
  "takeId" | "grow" | "share" | "shareLive" | "unshared" | "bind" | "removal"
>;

/** The backend of a shared store, as far as it writes. `leave` ends a call. */
export function lateSharing(cache: CacheState): Writing & { leave(): Promise<void> } {
  const { local, options } = cache;
  /** Notes about fds that this call writes, by id, until they are shared. */
  const started = new Map<number, PendingUpload>();
  const uploads = new Map<number, { pending: PendingUpload; uploader: Uploader }>();
  /** Fds that could not be shared because of a quota. */
  const refused = new Set<number>();
  const sharing = () => import("./share_in_time.ts");
  const changing = () => import("./change_shared.ts");

  return {
    takeId(source) {
      // What a call stores must stay.
      if (cache.full !== undefined) fail(cache.full);
      const isKept = NEEDED_SOURCES.includes(source);
      const id = offlineId(isKept);
      if (!isKept) {
        makeStore(local);
        const nonce = crypto.getRandomValues(new Uint8Array(16));
        started.set(id, startPending(pendingDirectory(local.path), nonce, { localId: id }));
      }
      return id;
    },
    grow(id, stableBytes) {
      const pending = started.get(id);
      if (pending === undefined || wasUnreachable(local)) return;
      started.delete(id);
      cache.hasGrown = true;
      uploads.set(id, { pending, uploader: options.startUploader(pending.name, stableBytes) });
    },
    async share(id) {
      const upload = uploads.get(id);
      const pending = started.get(id);
      uploads.delete(id);
      started.delete(id);
      if (upload === undefined && pending === undefined) return { id };
      const { awaitUploader, shareInTime } = await sharing();
      cache.hasGrown = true;
      const objects = () => cache.connect(options.triesFirst ? "needed" : "no time");
      const result = upload === undefined
        ? await shareInTime(local, objects, pending!, options)
        : await awaitUploader(local, upload.pending, upload.uploader, options);
      if (result.failure?.kind === "over_quota") refused.add(result.id);
      return result;
    },
    async shareLive(id, stableBytes) {
      const pending = started.get(id);
      if (pending === undefined) return id;
      started.delete(id);
      return await (await sharing()).shareWhileLive(local, pending, stableBytes, options);
    },
    unshared(id) {
      if (refused.has(id)) return "over_quota";
      return isKeptOnHost(id) || allPending(local).some((pending) => pending.id === id)
        ? "pending"
        : undefined;
    },
    async bind(name, id) {
      if (wasUnreachable(local)) throw unreachable("bind the name");
      return await (await changing()).bindShared(local, await cache.objects(), name, id);
    },
    removal(id) {
      if (isKeptOnHost(id)) return undefined;
      return async (why) => await (await changing()).removeFromAll(local, await cache.objects(), id, why);
    },
    /** Fds that the call stored and did not share keep their ids, and are shared later. */
    async leave() {
      if (started.size > 0) {
        const { keepOffline } = await sharing();
        for (const pending of started.values()) keepOffline(pending);
      }
      for (const { pending, uploader } of uploads.values()) {
        pending.release();
        uploader.leave();
      }
    },
  };
}
