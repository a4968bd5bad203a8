/**
 * Calls that read much have a process each, so that the server answers other calls meanwhile, and at once when such a
 * call is cancelled. That process is this server again: it gets the one request, and then the end of its input.
 */

import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { findFd, type Store } from "../../../fd/mod.ts";
import { disk, ifPossible } from "../../../fd/system.ts";
import { openHostStore } from "../../answers/parts/open_host_store.ts";
import { ownCall } from "../../capturing/background/own_program.ts";
import { isJsonObject, type JsonObject } from "../../calls/requests/json_object.ts";
import type { Host } from "../../calls/terms/command.ts";
import { RUN_TOOLS } from "../run_command.ts";
import type { Tool } from "../tool.ts";
import { type CallContext, ProtocolError, statelessMeta } from "./mcp_session.ts";

/** Less is read before another process has started. */
const MIN_APART_BYTES = 4 * 1024 * 1024;
const MAX_DEPTH = 8;
/** Processes at the same time. */
const MAX_APART = Math.max(2, availableParallelism());

/** Marks the request of such a process, which has no other. */
export const APART_KEY = "fdtool/apart";

/** Whether a call may keep the server busy for long, because it names much content. */
export function readsMuch(tool: Tool, given: JsonObject, host: Host): boolean {
  const store = RUN_TOOLS.includes(tool) ? undefined : openHostStore(host);
  // Where content is fetched, others are answered while it comes.
  if (store === undefined || !store.backend.hasWholeFiles) return false;
  if (tool.name === "search_fd" && !("fd" in given)) return true;
  // Parts of an fd are looked up, and jq has its own process; a file is stored first.
  const isLookedUp = tool.name === "query_fd" ||
    tool.name === "read_fd" && !/extract/i.test(Object.keys(given).join());
  return bytesNamed(given, isLookedUp ? undefined : store, host.cwd) >= MIN_APART_BYTES;
}

/** The bytes of the files, and of the fds in `store`, that `value` names, no deeper than calls do. */
function bytesNamed(value: unknown, store: Store | undefined, cwd: string, name = "", depth = 0): number {
  if (typeof value === "object" && value !== null) {
    return Object.entries(depth < MAX_DEPTH ? value : {}).reduce(
      (sum, [member, each]) =>
        sum + bytesNamed(each, store, cwd, Array.isArray(value) ? name : member, depth + 1),
      0,
    );
  }
  const text = String(value);
  const isFd = /fds?$/i.test(name);
  const isSought = store !== undefined && (isFd || /^(fd|ref):/.test(text));
  const entry = isSought ? ifPossible(() => findFd(store, text)) : undefined;
  if (entry !== undefined) return entry.byteCount;
  if (!isFd && !/path|file$/i.test(name)) return 0;
  return ifPossible(() => disk.stat(resolve(cwd, text)).size) ?? 0;
}

let runningCount = 0;
const waiting: (() => void)[] = [];

/**
 * Calls a tool in a process of its own: `program` serves the same tools. A cancelled call ends it, unless it writes files,
 * which is finished. Returns the result for stateless clients.
 *
 * @throws {ProtocolError} that of the call.
 */
export async function callApart(
  program: readonly string[],
  params: JsonObject,
  host: Host,
  { client, signal, report }: CallContext,
  isWrite: boolean,
): Promise<JsonObject> {
  if (runningCount >= MAX_APART) await new Promise<void>((go) => waiting.push(go));
  runningCount++;
  try {
    signal.throwIfAborted();
    return await answerOf();
  } finally {
    runningCount--;
    waiting.shift()?.();
  }

  async function answerOf(): Promise<JsonObject> {
    const { path, args, options } = ownCall(program, host);
    const child = spawn(path, args, { ...options, stdio: ["pipe", "pipe", "inherit"] });
    const failed = new Promise<never>((_, reject) => child.once("error", reject));
    const stop = () => child.kill("SIGKILL");
    if (!isWrite) signal.addEventListener("abort", stop);
    try {
      const _meta = { ...statelessMeta(client), [APART_KEY]: true, progressToken: 0 };
      // A process that is ended at once does not read it.
      child.stdin.on("error", () => {});
      child.stdin.end(
        `${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "tools/call", params: { ...params, _meta } })}\n`,
      );
      const answered = (async () => {
        for await (const line of createInterface({ input: child.stdout })) {
          const { method, params: sent, result, error } = JSON.parse(line) as JsonObject;
          if (isJsonObject(result)) return result;
          if (isJsonObject(error)) {
            throw new ProtocolError(Number(error["code"]), String(error["message"]), error["data"]);
          }
          if (method === "notifications/progress" && isJsonObject(sent)) {
            await report(Number(sent["progress"]), Number(sent["total"]));
          }
        }
        signal.throwIfAborted();
        throw new Error(`The process of ${params["name"]} ended without an answer`);
      })();
      return await Promise.race([answered, failed]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}
