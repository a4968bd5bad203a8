/**
 * A scripted model on loopback. It answers whatever API the harness speaks with the next step of a script, and remembers
 * what the harness sent: the tools it offered and every result, whole.
 *
 * Call ids carry the step (`s3c0`), so the server keeps no state of a conversation: the next step is the one after the
 * newest result. Requests without a shell tool (a title for the session, say) are answered with one sentence.
 */

import { type ModelRequest, type ModelTurn, type OfferedTool, type ToolCall } from "./model_api.ts";
import { APIS } from "./model_apis.ts";

/**
 * One turn of the model. In commands and arguments `$FD` is the last handle that a result showed, `fd:1` if none did, and
 * `$TASK` the last id of a command in the background.
 *
 * - `shell`: a call of the harness's own shell tool, `more` beside the command.
 * - `tool`: a call of the tool whose name is or ends in that.
 * - `calls`: several calls at once.
 * - `text`: words, which end the session.
 */
export type Step = CallStep | { calls: readonly CallStep[] } | { text: string };
export type CallStep =
  | { shell: string; more?: Readonly<Record<string, unknown>> | undefined }
  | { tool: string; args?: Readonly<Record<string, unknown>> | undefined };

/** A result that came back for a call of the script. */
export interface SeenResult {
  step: number;
  /** Number of the call in its step, from 0. */
  call: number;
  text: string;
  isError: boolean;
  /** From the model's call to the request that brought the result. Of several calls at once: until the last. */
  milliseconds: number;
}

/** Everything that the harness sent to the model. */
export interface Seen {
  tools: readonly string[];
  /** The JSON text of all tool definitions, in chars. */
  definitionChars: number;
  systemChars: number;
  results: readonly SeenResult[];
  /** Texts beside the model's and the results: the prompt, and what a hook adds for the model. */
  users: readonly string[];
  /** Requests that are not for a turn of the model, or that could not be read: method, path and error. */
  others: readonly string[];
}

export interface ModelServer {
  port: number;
  /** Returns everything sent since the script was set. */
  seen(): Seen;
  /** Sets the script to play, and the one of subagents, which are started with {@link SUBAGENT_PROMPT}. */
  play(script: readonly Step[], subagent?: readonly Step[]): void;
  stop(): Promise<void>;
}

/** The prompt of a subagent; its steps are numbered from here. */
export const SUBAGENT_PROMPT = "Do what is scripted for a subagent.";
export const SUBAGENT_STEP = 1000;

/** The names that harnesses have for their shell tool, and how each takes a command. */
const SHELL_TOOLS: Readonly<Record<string, (command: string) => Record<string, unknown>>> = {
  Bash: (command) => ({ command, description: "run it" }),
  run_shell_command: (command) => ({ command, description: "run it" }),
  bash: (command) => ({ command, description: "run it" }),
  exec_command: (command) => ({ cmd: command }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ["bash", "-lc", command] }),
};

/** Starts a server on a free port of 127.0.0.1. */
export function startModelServer(): ModelServer {
  let script: readonly Step[] = [];
  let subagent: readonly Step[] = [];
  let log = new SeenLog();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => undefined },
    async (request) => {
      const { pathname: path } = new URL(request.url);
      const api = request.method === "POST" ? APIS.find(({ claims }) => claims(path)) : undefined;
      if (api === undefined) {
        await request.body?.cancel();
        log.other(`${request.method} ${path}`);
        return sideAnswer(path);
      }
      const body = await bodyOf(request);
      if (body === undefined) {
        log.other(`${request.method} ${path}: the body is not JSON`);
        return new Response("{}", { status: 400 });
      }
      const read = api.read(body);
      const isSubagent = read.users.some((text) => text.includes(SUBAGENT_PROMPT));
      const turn = nextTurn(read, isSubagent ? subagent : script, isSubagent ? SUBAGENT_STEP : 0, log);
      const reply = api.say(turn, { path, body });
      return new Response(reply.body, { headers: { "content-type": reply.contentType } });
    },
  );
  return {
    port: server.addr.port,
    seen: () => log.seen(),
    play: (next, nextOfSubagent = []) => {
      script = next;
      subagent = nextOfSubagent;
      log = new SeenLog();
    },
    stop: () => server.shutdown(),
  };
}

/** Answers requests of harnesses other than turns. */
function sideAnswer(path: string): Response {
  if (path.endsWith("count_tokens")) return Response.json({ input_tokens: 1000 });
  if (path.endsWith(":countTokens")) return Response.json({ totalTokens: 1000 });
  if (path.endsWith("/models")) {
    return Response.json({ object: "list", data: [{ id: "scripted", object: "model" }], models: [] });
  }
  return Response.json({ error: { message: "not here" } }, { status: 404 });
}

/** The body's JSON; undefined if it cannot be read. */
async function bodyOf(request: Request): Promise<unknown> {
  const isGzip = request.headers.get("content-encoding") === "gzip";
  const stream = isGzip ? request.body?.pipeThrough(new DecompressionStream("gzip")) : request.body;
  try {
    return await new Response(stream).json();
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}

function nextTurn(
  request: ModelRequest,
  script: readonly Step[],
  firstStep: number,
  log: SeenLog,
): ModelTurn {
  const shell = request.tools.find(({ name }) => Object.hasOwn(SHELL_TOOLS, name));
  const isMain = shell !== undefined || request.tools.some((tool) => JSON.stringify(tool).includes("fdtool"));
  if (!isMain) return { text: pageIn(request) ?? '{"title":"scripted","isNewTopic":false}' };
  const step = nextStep(request) || firstStep;
  log.request(step, request);
  const planned = script[step - firstStep] ?? { text: "DONE." };
  if ("text" in planned) return { text: planned.text };
  const calls: ToolCall[] = [];
  for (const [index, each] of ("calls" in planned ? planned.calls : [planned]).entries()) {
    const call = callOf(each, `s${step}c${index}`, request, shell);
    if (call === undefined) return { text: `NO TOOL ${"tool" in each ? each.tool : "shell"}` };
    calls.push(call);
  }
  log.called(step);
  return { calls };
}

/** The page that Claude Code's WebFetch asks a model about: this model reads it aloud. */
function pageIn({ users }: ModelRequest): string | undefined {
  return /\nWeb page content:\n---\n(.*)\n---\n/s.exec(users.join("\n"))?.[1];
}

const STEP_OF_ID = /s(\d+)c(\d+)/;

/** The step after that of the newest result. Where ids are left out, each step had one call. */
function nextStep({ results }: ModelRequest): number {
  const done = results.flatMap(({ id }) => STEP_OF_ID.exec(id)?.[1] ?? []);
  return done.length > 0 ? Math.max(...done.map(Number)) + 1 : results.length;
}

function callOf(
  planned: CallStep,
  id: string,
  { tools, results }: ModelRequest,
  shell: OfferedTool | undefined,
): ToolCall | undefined {
  const handles = results.flatMap(({ text }) => text.match(/fd:\d+/g) ?? []);
  const tasks = results.flatMap(({ text }) => /\bID: (\w+)/.exec(text)?.[1] ?? []);
  const fill = (text: string) =>
    text.replaceAll("$FD", handles.at(-1) ?? "fd:1").replaceAll("$TASK", tasks.at(-1) ?? "none");
  if ("shell" in planned) {
    if (shell === undefined) return undefined;
    const args = { ...SHELL_TOOLS[shell.name]?.(fill(planned.shell)), ...planned.more };
    return { id, name: shell.name, namespace: shell.namespace, args };
  }
  const found = tools.find(({ name }) => name === planned.tool) ??
    tools.find(({ name }) => new RegExp(`[._-]${planned.tool}$`).test(name));
  if (found === undefined) return undefined;
  const args = JSON.parse(fill(JSON.stringify(planned.args ?? {})));
  return { id, name: found.name, namespace: found.namespace, args };
}

/** Records what the harness sent for one script. */
class SeenLog {
  #first: ModelRequest | undefined;
  #calledAt = new Map<number, number>();
  #results = new Map<string, SeenResult>();
  #users = new Set<string>();
  #others = new Set<string>();

  other(what: string): void {
    this.#others.add(what);
  }

  called(step: number): void {
    // A harness that asks again for the same turn is answered again; the first call counts.
    if (!this.#calledAt.has(step)) this.#calledAt.set(step, performance.now());
  }

  request(nextStep: number, request: ModelRequest): void {
    const now = performance.now();
    this.#first ??= request;
    for (const text of request.users) this.#users.add(text);
    for (const [index, { id, text, isError }] of request.results.entries()) {
      const found = STEP_OF_ID.exec(id);
      const [step, call] = found === null ? [index, 0] : [Number(found[1]), Number(found[2])];
      const key = `${step} ${call}`;
      if (this.#results.has(key)) continue;
      const since = step === nextStep - 1 ? this.#calledAt.get(step) : undefined;
      const milliseconds = since === undefined ? NaN : now - since;
      this.#results.set(key, { step, call, text, isError, milliseconds });
    }
  }

  seen(): Seen {
    const definitions = (this.#first?.tools ?? []).map(({ definition }) => definition);
    return {
      tools: (this.#first?.tools ?? []).map(({ name, namespace }) =>
        namespace === undefined ? name : `${namespace}.${name}`
      ),
      definitionChars: JSON.stringify(definitions).length,
      systemChars: this.#first?.system.length ?? 0,
      results: [...this.#results.values()].sort((a, b) => a.step - b.step || a.call - b.call),
      users: [...this.#users],
      others: [...this.#others],
    };
  }
}
