/** How a walk calls fdtool: a process for each call, or MCP servers that stay. Both answer in JSON. */

import type { Client } from "@modelcontextprotocol/client";
import { connect } from "../../tests/mcp_connection.ts";
import type { World } from "../../tests/world.ts";
import { must } from "./inner_world.ts";
import { killAfter } from "./outer_world.ts";
import type { Choices } from "./random_choices.ts";

/** An answer in JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** A call: the words of a command, or a tool with its arguments. */
export type Call = { words: readonly string[]; stdin?: Uint8Array } | { tool: string; given: Json };

/** The result of a call. */
export interface Answer {
  /** The answer, or the `fd_error`; undefined if there is none (raw output, a killed process). */
  json?: Json | undefined;
  /** The type of the failure. */
  error?: string | undefined;
  /** The exit code; undefined over MCP. */
  code?: number | undefined;
  stdout?: Uint8Array;
  stderr?: string;
  /** Whether it was killed before it had answered. */
  wasKilled?: boolean;
}

const SERVERS = 3;

/** The callers of one walk. */
export class Caller {
  readonly #servers: (Promise<{ client: Client }> | undefined)[] = Array(SERVERS).fill(undefined);
  /** About how long a process takes; kills come within that time. */
  #spanMs = 12;
  /** The calls of the step, for the report. */
  log: string[] = [];

  constructor(readonly world: World) {}

  /** Makes a call over MCP, or as a process of its own; kills that. A server may have other calls. */
  async perform(call: Call, choices: Choices, kills?: "process" | "either"): Promise<Answer> {
    const killMs = kills === undefined ? undefined : choices.fraction() * 1.3 * this.#spanMs;
    if ("tool" in call && kills !== "process" && !choices.onceIn(kills === undefined ? 20 : 2)) {
      const server = choices.whole(0, SERVERS - 1);
      return await this.call(call.tool, call.given, server, killMs && killMs / 2);
    }
    const words = "tool" in call ? ["call", call.tool] : call.words;
    const stdin = "tool" in call ? new TextEncoder().encode(JSON.stringify(call.given)) : call.stdin;
    return await this.process(words, stdin, killMs);
  }

  /** Calls a tool of a server, which is killed after `killMs`. */
  async call(tool: string, given: Json, index = 0, killMs?: number): Promise<Answer> {
    this.log.push(
      `  server ${index}${killMs === undefined ? "" : " (killed)"}: ${tool} ${JSON.stringify(given)}`,
    );
    const { client } =
      await (this.#servers[index] ??= connect(this.world, { name: "claude-code", words: ["--all"] }));
    if (killMs !== undefined) {
      this.#servers[index] = undefined;
      const { pid } = client.transport as unknown as { pid: number };
      setTimeout(() => killProcess(pid), killMs);
    }
    try {
      const { structuredContent, isError } = await client.callTool({ name: tool, arguments: given });
      const json = structuredContent as Json;
      if (killMs !== undefined) await closed(client);
      return { json, error: isError === true ? String(json["error"]) : undefined };
    } catch (thrown) {
      if (killMs === undefined) throw thrown;
      await closed(client);
      return { wasKilled: true };
    }
  }

  /** Runs a process; kills it after `killMs` if it still runs. */
  async process(
    words: readonly string[],
    stdin: Uint8Array = new Uint8Array(),
    killMs?: number,
  ): Promise<Answer> {
    const fed = stdin.length === 0
      ? ""
      : ` < ${JSON.stringify(new TextDecoder().decode(stdin.subarray(0, 300)))}`;
    this.log.push(
      `  ${killMs === undefined ? "" : "killed: "}fdtool ${
        words.map((each) => JSON.stringify(each)).join(" ")
      }${fed}`,
    );
    const startedMs = performance.now();
    const { child, finished } = this.world.start(words, { stdin, env: { FDTOOL_FORMAT: "json" } });
    const callOff = killMs === undefined ? undefined : killAfter(child, killMs);
    const { code, signal, stdout, text, stderr } = await finished;
    callOff?.();
    if (killMs === undefined) this.#spanMs = 0.9 * this.#spanMs + 0.1 * (performance.now() - startedMs);
    // `call` prints its failures as answers.
    const last = [text, stderr].map((each) => each.trimEnd().split("\n").at(-1)!).find((line) =>
      /^\{.*\}$/.test(line)
    );
    const json = signal === undefined && last !== undefined ? JSON.parse(last) as Json : undefined;
    const error = json?.["type"] === "fd_error" ? String(json["error"]) : undefined;
    return { json, error, code, stdout, stderr, wasKilled: signal === "SIGKILL" };
  }

  /** Asks a tool, which must answer. */
  async ask(tool: string, given: Json): Promise<Json> {
    const { json, error } = await this.call(tool, given);
    must(
      json !== undefined && error === undefined,
      () => `${tool} ${JSON.stringify(given)}: ${JSON.stringify(json)}`,
    );
    return json;
  }

  /** Runs a command, which must answer. */
  async run(...words: string[]): Promise<Json> {
    const { json, error, stderr } = await this.process(words);
    must(json !== undefined && error === undefined, () => `${words.join(" ")}: ${stderr}`);
    return json;
  }

  async close(): Promise<void> {
    for (const server of this.#servers.splice(0)) await (await server)?.client.close();
  }
}

/** Waits for the end of a server that was killed. */
async function closed(client: Client): Promise<void> {
  await client.close().catch(() => undefined);
}

function killProcess(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (thrown) {
    // It has already ended.
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  }
}
