/**
 * Makes a shared store, if there is none, and its small fds up to COUNT: `make_shared_fds.ts URL COUNT`, run by Deno.
 */

import { openObjectStore, parseStoreUrl } from "../../fd/mod.ts";
import { utf8Bytes } from "../../fd/bytes/utf8_bytes.ts";
import { ownedObject } from "../../fd/shared/objects/fd_object.ts";
import { inParallel } from "../../fd/shared/objects/in_parallel.ts";
import { fdKey, NEXT_KEY } from "../../fd/shared/objects/shared_keys.ts";
import { openShared } from "../../fd/shared/objects/store_object.ts";
import { nameLine } from "../../fd/store/bind_name.ts";
import { sampleObject } from "../fleet/sample_upload.ts";
import { smallItem } from "./sample_data.ts";

const [url = "", count = "0"] = Deno.args;
const objects = openObjectStore(parseStoreUrl(url, "--store"), { env: Deno.env.toObject() });
const id = crypto.randomUUID().replaceAll("-", "").slice(0, 24);
objects.storeId = (await openShared(objects, { id, quotaBytes: 0, ttlMs: 0 })).id;
const ids = Array.from({ length: Number(count) }, (_, place) => place + 1);
await inParallel(ids, 16, async (id) => {
  const nonce = crypto.getRandomValues(new Uint8Array(16));
  const object = ownedObject(objects, id, sampleObject(nonce, utf8Bytes(smallItem(id))));
  await objects.create(fdKey(id), object);
});
// As hosts write it from time to time: the highest id, nearly.
await objects.put(NEXT_KEY, utf8Bytes(nameLine(NEXT_KEY, Number(count) - 16)));
