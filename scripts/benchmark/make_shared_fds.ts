/**
 * Makes the small fds up to COUNT of a shared store whose first fds exist: `make_shared_fds.ts URL COUNT`, run by Deno.
 */

import { openObjectStore, parseStoreUrl } from "../../fd/mod.ts";
import { utf8Bytes } from "../../fd/bytes/utf8_bytes.ts";
import { smallObject } from "../../fd/shared/fd_object.ts";
import { inParallel } from "../../fd/shared/in_parallel.ts";
import { fdKey, NEXT_KEY } from "../../fd/shared/shared_keys.ts";
import { nameLine } from "../../fd/store/bind_name.ts";
import { sampleUpload } from "../fleet/sample_upload.ts";
import { smallItem } from "./sample_data.ts";

const [url = "", count = "0"] = Deno.args;
const objects = openObjectStore(parseStoreUrl(url, "--store"), { env: Deno.env.toObject() });
const ids = Array.from({ length: Number(count) }, (_, place) => place + 1);
await inParallel(ids, 16, async (id) => {
  const content = utf8Bytes(smallItem(id));
  const source = sampleUpload(content);
  const nonce = crypto.getRandomValues(new Uint8Array(16));
  await objects.create(
    fdKey(id),
    smallObject({ nonce, record: source.record(), index: source.index() }, content),
  );
});
// As hosts write it from time to time: the highest id, nearly.
await objects.put(NEXT_KEY, utf8Bytes(nameLine(NEXT_KEY, Number(count) - 16)));
