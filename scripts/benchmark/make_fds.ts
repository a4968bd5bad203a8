/** Makes many small fds in a store of the same content: `make_fds.ts STORE COUNT`. */

import process from "node:process";
import { openStore, putBytes } from "../../fd/mod.ts";
import { smallItem } from "./sample_data.ts";

const [, , path = "", count = "0"] = process.argv;
const store = openStore(path);
for (let made = 0; made < Number(count); made++) {
  putBytes(store, new TextEncoder().encode(smallItem(0)), { source: "bench" });
}
