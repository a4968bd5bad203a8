/**
 * `store check`: tries whether an object store keeps what a shared store relies on (contract, Commands). `store show`: what of
 * the call's shared store is shared, pending and cached (contract, Shared stores).
 */

import { openObjectStore, parseStoreUrl, type ProbeReport, probeStore } from "../../fd/mod.ts";
import { cacheOf } from "../sharing/cache_of.ts";
import { shownStore } from "../sharing/show_store.ts";
import { failUsage } from "../requests/usage_failure.ts";
import type { Report } from "../terms/answers.ts";
import type { Command } from "../terms/command.ts";

export const command: Command = {
  spec: {
    usage: "check [URL] | show",
    positionals: { least: 1, most: 2, names: ["action", "url"] },
    values: { action: ["check", "show"] },
    options: {},
    example: "fdtool store check 's3://team-bucket/ci?region=eu-west-1'",
    exitCodes: [[0, "it keeps all promises"], [1, "it breaks one, does not answer, or denies access"], [
      2,
      "usage error",
    ]],
  },
  async run({ positionals: [action = "", written] }, host) {
    if (action === "show") return { exitCode: 0, answer: await shownStore(await cacheOf("store", host)) };
    if (action !== "check") {
      failUsage({
        kind: "bad_value",
        command: "store",
        option: "ACTION",
        got: action,
        wanted: "check or show",
      });
    }
    const { storeOption, env, signal } = host;
    const [url, field] = written !== undefined
      ? [written, "URL"]
      : storeOption !== undefined
      ? [storeOption, "--store"]
      : [env["FDTOOL_STORE"] ?? "", "FDTOOL_STORE"];
    const address = parseStoreUrl(url, field);
    const report = await probeStore(openObjectStore(address, { env, signal }));
    const answer = checkedStore(address.place, report);
    return { exitCode: answer.facts["ok"] === true ? 0 : 1, answer };
  },
};

function checkedStore(store: string, { promises, isVersioned }: ProbeReport): Report {
  const broken = promises.filter(({ isKept }) => !isKept);
  const verdict = broken.length === 0
    ? "The object store keeps what a shared store relies on."
    : `No fds can be shared there: ${broken.map(({ promise, found }) => `${promise}: ${found}`).join("; ")}.`;
  const versions = isVersioned
    ? " The bucket keeps old versions, so removing fds frees no space until a lifecycle rule deletes them."
    : "";
  return {
    type: "store_checked",
    facts: {
      ok: broken.length === 0,
      store,
      versioned: isVersioned || undefined,
      promises: promises.map(({ promise, isKept, found }) => ({ promise, kept: isKept, found })),
    },
    message: verdict + versions,
  };
}
