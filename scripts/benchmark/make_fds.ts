/** Makes many small fds in a store: `make_fds.ts STORE COUNT`. @module */

import process from "node:process";
import { openStore, putBytes } from "../../fd/mod.ts";

const [, , path = "", count = "0"] = process.argv;
const store = openStore(path);
const content = new TextEncoder().encode("a small output\n".repeat(20));
for (let made = 0; made < Number(count); made++) putBytes(store, content, { source: "bench" });
