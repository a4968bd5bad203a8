/**
 * The two ways in which a walk calls fdtool: a process for each call, and long-lived MCP servers. Both answer in JSON, so
 * one expectation fits both.
 */

import { type Finished, programUnderTest, type World } from "../../tests/world.ts";
import { linesOf } from "../lines_of.ts";
import { must } from "./inner_world.ts";
import { killAfter } from "./outer_world.ts";
import { utf8 } from "./walk_model.ts";

/** An answer in JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** A call: its words, and the tool that does the same over MCP, if there is one. */
export interface Call {
  words: readonly string[];
  stdin?: Uint8Array | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  tool?: readonly [name: string, given: Json] | undefined;
}

/** The result of a call. */
export interface Answer {
  /** The answer, or the `fd_error`; undefined if there is none (raw output, a killed process). */
  json: Json | undefined;
  /** The type of the failure. */
  error: string | undefined;
  /** The exit code; undefined over MCP. */
  code: number | undefined;
  /** Output of the process. */
  stdout: Uint8Array;
  stderr: string;
  /** Whether it was killed before it had answered. */
  wasKilled: boolean;
}

const NOTHING = new Uint8Array(0);

/** The command that does what a tool does: its operands, the fields that it takes as JSON on stdin, or one as text. */
const COMMANDS: Readonly<
  Record<
    string,
    { words: readonly string[]; operands?: readonly string[]; json?: readonly string[]; text?: string }
  >
> = {
  answer_inquiry: { words: ["answer"], operands: ["inquiry_id"], json: ["answer"] },
  count_lines: { words: ["count"], operands: ["path", "fd"], text: "content" },
  create_file: { words: ["create"], operands: ["path"] },
  diff_fds: { words: ["diff"], operands: ["old_fd", "new_fd"] },
  edit_file: {
    words: ["edit"],
    operands: ["path"],
    json: ["old_string", "new_string", "replace_all", "edits"],
  },
  fd_to_file: { words: ["to-file"], operands: ["fd", "file_path"] },
  list_fds: { words: ["ls"] },
  list_refs: { words: ["refs"] },
  query_fd: { words: ["query"], operands: ["fd", "filter"] },
  read_fd: { words: ["read"], operands: ["fd"] },
  rewrite_file: { words: ["rewrite"], operands: ["filePath"], text: "content" },
  search_fd: { words: ["search"], operands: ["fd", "pattern"] },
  undo_write: { words: ["undo"], operands: ["path", "tx"] },
  write_plan: { words: ["plan"], json: ["intent", "plans", "target_file", "operations", "safety_checks"] },
};

/** Options whose name is not that of the field. */
const OPTIONS: Readonly<Record<string, string>> = { read_all: "all", extract_to_new_fd: "extract" };

/** A call of a tool, and of the command that does the same. Fields that are undefined are left out. */
export function toolCall(tool: string, fields: Json): Call {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const { words, operands = [], json = [], text } = COMMANDS[tool]!;
  const options: string[] = [];
  const body: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(given)) {
    const option = OPTIONS[field] ?? field.replaceAll(/_|(?=[A-Z])/g, "-").toLowerCase();
    if (json.includes(field)) body[field] = value;
    else if (field === text || field === "check_only" || operands.includes(field)) continue;
    else if (typeof value === "boolean") options.push(`--${value ? "" : "no-"}${option}`);
    else options.push(`--${option}`, String(value));
  }
  const action = tool !== "write_plan" ? [] : [given["check_only"] === true ? "check" : "apply"];
  const [first, ...others] = operands.flatMap((field) => field in given ? [String(given[field])] : []);
  const isText = text !== undefined && text in given;
  const operand = first ?? (isText ? "-" : undefined);
  return {
    words: [
      ...words,
      ...action,
      ...(operand === undefined ? [] : [operand]),
      ...options,
      ...(others.length === 0 ? [] : ["--", ...others]),
    ],
    stdin: isText
      ? utf8(String(given[text]))
      : json.length === 0
      ? undefined
      : utf8(JSON.stringify(body["answer"] ?? body)),
    tool: [tool, given],
  };
}

/** A long-lived MCP server. */
export interface Door {
  call(name: string, given: Json): Promise<Answer>;
  /** Kills it with SIGKILL and waits for its end: calls under way are answered as killed. */
  kill(): Promise<void>;
  /** Closes its stdin and waits for its end. */
  close(): Promise<void>;
}

/** Starts an MCP server. */
export async function openDoor(world: World): Promise<Door> {
  const [program, ...leading] = programUnderTest();
  const child = new Deno.Command(program, {
    args: [...leading, "mcp", "--all"],
    cwd: world.dir,
    env: { ...world.env },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const waiting = new Map<number, (message: Json | undefined) => void>();
  const read = async () => {
    for await (const line of linesOf(child.stdout)) {
      const message: Json = JSON.parse(line);
      waiting.get(Number(message["id"]))?.(message);
      waiting.delete(Number(message["id"]));
    }
    for (const answered of waiting.values()) answered(undefined);
    waiting.clear();
  };
  const reading = read();
  const stderrText = new Response(child.stderr).text();
  let lastId = 0;
  const send = async (message: Json) => {
    try {
      await writer.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.BrokenPipe || thrown instanceof TypeError)) throw thrown;
    }
  };
  const request = (method: string, params: Json) => {
    const id = ++lastId;
    const answered = new Promise<Json | undefined>((resolve) => waiting.set(id, resolve));
    void send({ id, method, params });
    return answered;
  };
  const ended = async () => {
    const status = await child.status;
    await reading;
    return { status, stderr: await stderrText };
  };
  // The client with the largest bound on answers. Other tests cover the bounds.
  const clientInfo = { name: "claude-code", version: "0" };
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  await send({ method: "notifications/initialized" });
  return {
    async call(name, given) {
      const message = await request("tools/call", { name, arguments: given });
      return message === undefined ? KILLED : answerOf(message);
    },
    async kill() {
      child.kill("SIGKILL");
      await ended();
      await writer.close().catch(() => undefined);
    },
    async close() {
      await writer.close();
      const { status, stderr } = await ended();
      must(status.code === 0 && stderr === "", () => `fdtool mcp ended with ${status.code}: ${stderr}`);
    },
  };
}

const EMPTY = { json: undefined, error: undefined, code: undefined, stdout: NOTHING, stderr: "" };
const KILLED: Answer = { ...EMPTY, wasKilled: true };

function answerOf(message: Json): Answer {
  const result = message["result"] as Json | undefined;
  must(result !== undefined, () => `a tool call failed as a request: ${JSON.stringify(message)}`);
  const json = result["structuredContent"] as Json;
  const error = result["isError"] === true ? String(json["error"]) : undefined;
  return { ...KILLED, json, error, wasKilled: false };
}

/** Runs a call as a process of its own; kills it after `killAfterMs` if it still runs. */
export async function callProcess(
  world: World,
  { words, stdin, env }: Call,
  killAfterMs?: number,
): Promise<Answer> {
  const { child, finished } = world.start(words, {
    stdin: stdin ?? NOTHING,
    env: { FDTOOL_FORMAT: "json", ...env },
  });
  const callOff = killAfterMs === undefined ? undefined : killAfter(child, killAfterMs);
  const ended = await finished;
  callOff?.();
  return answerOfProcess(ended);
}

function answerOfProcess({ code, signal, stdout, text, stderr }: Finished): Answer {
  const last = stderr.trimEnd().split("\n").at(-1) ?? "";
  const failed = signal === undefined && last.startsWith("{") ? JSON.parse(last) as Json : undefined;
  const error = failed?.["type"] === "fd_error" ? String(failed["error"]) : undefined;
  const json = error !== undefined ? failed : /^\{.*\}\n$/.test(text) ? JSON.parse(text) as Json : undefined;
  return { json, error, code, stdout, stderr, wasKilled: signal === "SIGKILL" };
}
