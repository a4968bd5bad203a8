/** Opens the cache of a call's shared store. */

import { limitsFrom, loadShared, type SharedCache } from "../../fd/mod.ts";
import type { Host } from "../terms/command.ts";
import { askChild } from "./ask_child.ts";
import { durationOf } from "../requests/duration.ts";
import { startUploader } from "./start_uploader.ts";
import { cacheBound, cacheDirectory } from "./cache_directory.ts";

/** Opens the cache of the shared store at `url`. Nothing is asked for yet. */
export async function openHostCache(url: string, host: Host): Promise<SharedCache> {
  const { openCache, parseStoreUrl, connectStore } = await loadShared();
  const address = parseStoreUrl(url, host.storeOption === undefined ? "FDTOOL_STORE" : "--store");
  return openCache({
    path: cacheDirectory(address.place, host.env),
    limits: () => limitsFrom(host.env),
    boundBytes: () => cacheBound(host.env),
    use: { sharesLater: false, mayMove: false, isFresh: host.isFresh === true },
    exchange: {
      get: (part) => askChild(url, host, { kind: "fetch", part, isFresh: host.isFresh }).records,
      share: (note) => askChild(url, host, { kind: "share", note }).id,
      bind: (name, id) => askChild(url, host, { kind: "bind", name, id }).id,
      remove: (id, why) => void askChild(url, host, { kind: "remove", id, why }),
    },
    waitMs: durationOf("FDTOOL_UPLOAD_WAIT", "FDTOOL_UPLOAD_WAIT", host.env["FDTOOL_UPLOAD_WAIT"] || "2s"),
    startUploader: (note, stableBytes) => startUploader(url, host, note, stableBytes),
    connect: (store) => connectStore(store, address, host.env),
  });
}
