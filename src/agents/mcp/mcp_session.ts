/**
 * The server's half of MCP, over any channel of JSON-RPC messages. Two kinds of clients are served at the same time:
 * those that shake hands first (`initialize`, versions up to 2025-11-25), and those that say with each request who they
 * are and what they can do (2026-07-28). A question to the user is a request to the former, and the answer of a call to
 * the latter, who repeat the call with the user's reply.
 */

import { ifPossible } from "../../../fd/system.ts";
import * as v from "valibot";
import { firstChars } from "../../answers/parts/first_few.ts";
import { isJsonObject, type JsonObject } from "../../calls/requests/json_object.ts";

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const UNSUPPORTED_VERSION = -32022;

/** The version without a handshake. */
const STATELESS_VERSION = "2026-07-28";
/** Versions with a handshake, newest first. */
const SESSION_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] as const;

const META = "io.modelcontextprotocol/";
const VERSION_KEY = `${META}protocolVersion`;
const CAPABILITIES_KEY = `${META}clientCapabilities`;
const CLIENT_KEY = `${META}clientInfo`;
const SERVER_KEY = `${META}serverInfo`;

const FIVE_MINUTES_MS = 300_000;
/** How long each kind of answer may be kept by a stateless client; others must not be kept. */
const FRESH_MS: Readonly<Record<string, number>> = {
  "server/discover": FIVE_MINUTES_MS,
  "tools/list": FIVE_MINUTES_MS,
  "resources/templates/list": FIVE_MINUTES_MS,
  "resources/list": 0,
  "resources/read": 0,
};

/** Less than a client waits for a call (60 s in the official libraries): it may have forms and drop them. */
const FORM_WAIT_MS = 45_000;
/** UTF-16 units of an error: what came may have megabytes. */
const MAX_ERROR = 1000;

/** A failure of the protocol: what a model cannot correct. `data` is for programs. */
export class ProtocolError extends Error {
  constructor(readonly code: number, message: string, readonly data?: unknown) {
    super(firstChars(message, MAX_ERROR));
  }
}

/** The sender of a request, as it introduced itself. */
export interface Client {
  name: string | undefined;
  /** Whether it can show forms, so that a user's decision is asked separately from content. */
  hasForms: boolean;
  isStateless: boolean;
}

export interface CallContext {
  client: Client;
  /** Aborted when the client cancels the call or is gone. */
  signal: AbortSignal;
  /** Reports progress if the client asked for it. */
  report(progress: number, total: number): Promise<void>;
}

interface ServerIntroduction {
  serverInfo: { name: string; title?: string; version: string };
  capabilities: JsonObject;
  instructions: string;
}

type Id = string | number;
/** Its answer may come later. */
type Answering<Params> = (params: Params, call: CallContext) => object | Promise<object>;

const implementation = v.looseObject({ name: v.string(), version: v.string() });
const clientCapabilities = v.record(v.string(), v.unknown());
const Handshake = v.object({
  protocolVersion: v.string(),
  capabilities: clientCapabilities,
  clientInfo: implementation,
});
const StatelessMeta = v.object({
  [VERSION_KEY]: v.string(),
  [CAPABILITIES_KEY]: clientCapabilities,
  [CLIENT_KEY]: v.optional(implementation),
});

/** The session with one client. Register what answers requests before {@link open}. */
export class McpSession {
  /** The client that shook hands, as it introduced itself. */
  #client: Client = { name: undefined, hasForms: false, isStateless: false };
  readonly #introduction: ServerIntroduction;
  readonly #answering = new Map<string, Answering<JsonObject>>();
  /** Calls that have no answer yet, and what ends them. */
  readonly #calls = new Map<Id, AbortController>();
  /** Takes the answer to each question to the client; undefined: there will be none. */
  readonly #questions = new Map<Id, (response: JsonObject | undefined) => void>();
  #questionCount = 0;
  #inputEnded = false;
  /** Calls whose answer is being made. */
  readonly #running = new Set<Id>();
  #send: (message: object) => Promise<void> = () => Promise.resolve();
  #noteAnswered = () => {};

  constructor(introduction: ServerIntroduction) {
    this.#introduction = introduction;
    this.answerRequests("initialize", Handshake, ({ protocolVersion, capabilities, clientInfo }) => {
      this.#client = { name: clientInfo.name, hasForms: hasForms(capabilities), isStateless: false };
      const isKnown = (SESSION_VERSIONS as readonly string[]).includes(protocolVersion);
      const version = isKnown ? protocolVersion : SESSION_VERSIONS[0];
      return { protocolVersion: version, ...introduction };
    });
    this.answerRequests("ping", v.object({}), () => ({}));
    const { capabilities, instructions } = introduction;
    const discovery = { supportedVersions: [STATELESS_VERSION], capabilities, instructions };
    this.answerRequests("server/discover", v.object({}), () => discovery);
  }

  /** Answers requests of `method`, whose parameters `schema` checks, with `answer`. */
  answerRequests<Params>(
    method: string,
    schema: v.GenericSchema<unknown, Params>,
    answer: Answering<Params>,
  ): void {
    this.#answering.set(method, (params, call) => answer(checked(method, schema, params, "params"), call));
  }

  /** How many answers are being made. */
  get runningCount(): number {
    return this.#running.size;
  }

  /** Starts the session: messages to the client are for `send`. */
  open(send: (message: object) => Promise<void>): void {
    this.#send = send;
  }

  /** Takes a line of the client. Refuses other lines. */
  receiveText(text: string): void {
    const value: unknown = ifPossible(() => JSON.parse(text), SyntaxError, RangeError);
    if (value === undefined) return this.refuse("this line is not valid JSON", null, PARSE_ERROR);
    this.receive(value);
  }

  /** Takes a message of the client. */
  receive(message: unknown): void {
    if (Array.isArray(message)) return this.refuse("send one message a line: batches are not supported");
    const { jsonrpc, id, method, params = {}, ...rest } = isJsonObject(message) ? message : {};
    const isResponse = method === undefined && ("result" in rest || "error" in rest);
    if (jsonrpc !== "2.0" || !isJsonObject(params) || !isResponse && typeof method !== "string") {
      return this.refuse("not a JSON-RPC 2.0 message", isId(id) ? id : null);
    }
    if (typeof method === "string" && id === undefined) this.#takeNotification(method, params);
    else if (!isId(id)) this.refuse("the id of a request is text or a whole number");
    else if (typeof method === "string") void this.#takeRequest(id, method, params);
    else this.#questions.get(id)?.(rest);
  }

  /** Answers that a message was not valid. `id` is null if it is unknown. */
  refuse(message: string, id: Id | null = null, code = INVALID_REQUEST): void {
    void this.#send({ jsonrpc: "2.0", id, error: { code, message } });
  }

  /** Says that nothing more will come from the client: questions stay open. Resolves when its calls are answered. */
  async endInput(): Promise<void> {
    this.#inputEnded = true;
    this.#dropQuestions();
    if (this.#calls.size > 0) await new Promise<void>((resolve) => this.#noteAnswered = resolve);
  }

  /** Cancels all calls, since the client is gone. */
  close(): void {
    this.#inputEnded = true;
    for (const id of this.#calls.keys()) this.#cancel(id, undefined);
    this.#dropQuestions();
  }

  #dropQuestions(): void {
    for (const take of this.#questions.values()) take(undefined);
  }

  /**
   * Shows the user a form by a request to the client, and returns the reply as it came. Returns undefined if the client
   * failed to ask, or never will: one that does not answer in time is not asked again.
   */
  async elicit(form: object, signal: AbortSignal): Promise<unknown> {
    if (this.#inputEnded) return undefined;
    const id = this.#questionCount++;
    const { promise, resolve } = Promise.withResolvers<JsonObject | undefined>();
    const giveUp = () => {
      void this.#notify("notifications/cancelled", { requestId: id });
      resolve(undefined);
    };
    const timer = setTimeout(() => {
      this.#client.hasForms = false;
      giveUp();
    }, FORM_WAIT_MS);
    signal.addEventListener("abort", giveUp);
    this.#questions.set(id, resolve);
    try {
      await this.#send({ jsonrpc: "2.0", id, method: "elicitation/create", params: form });
      return (await promise)?.["result"];
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      this.#questions.delete(id);
      signal.throwIfAborted();
    }
  }

  async #notify(method: string, params: object): Promise<void> {
    await this.#send({ jsonrpc: "2.0", method, params });
  }

  #takeNotification(method: string, { requestId, reason }: JsonObject): void {
    if (method === "notifications/cancelled" && isId(requestId)) this.#cancel(requestId, reason);
  }

  /** A cancelled call gets no answer, and nothing waits for one. */
  #cancel(id: Id, reason: unknown): void {
    this.#calls.get(id)?.abort(reason);
    this.#running.delete(id);
    this.#forget(id);
  }

  #forget(id: Id): void {
    this.#calls.delete(id);
    if (this.#calls.size === 0) this.#noteAnswered();
  }

  async #takeRequest(id: Id, method: string, params: JsonObject): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#calls.set(id, controller);
    this.#running.add(id);
    const answer = await this.#answerOf(method, params, signal).then(
      (result) => ({ result }),
      (thrown) => ({ error: errorOf(thrown) }),
    );
    this.#running.delete(id);
    if (signal.aborted) return;
    await this.#send({ jsonrpc: "2.0", id, ...answer });
    if (this.#calls.get(id) === controller) this.#forget(id);
  }

  async #answerOf(method: string, params: JsonObject, signal: AbortSignal): Promise<object> {
    // What came together with the request is read first: it may be cancelled.
    await undefined;
    signal.throwIfAborted();
    const meta = isJsonObject(params["_meta"]) ? params["_meta"] : {};
    const client = this.#clientOf(method, meta);
    const answering = this.#answering.get(method);
    const isGone = client.isStateless && (method === "initialize" || method === "ping");
    if (answering === undefined || isGone) {
      throw new ProtocolError(METHOD_NOT_FOUND, `Unknown method ${JSON.stringify(method)}`);
    }
    const { progressToken } = meta;
    let reported = -1;
    const report = async (progress: number, total: number): Promise<void> => {
      // The protocol wants it to grow; work that starts again is silent until it is further.
      if (progressToken === undefined || signal.aborted || progress <= reported) return;
      reported = progress;
      await this.#notify("notifications/progress", { progressToken, progress, total });
    };
    const result = await answering(params, { client, signal, report });
    return client.isStateless ? this.#statelessResult(method, result) : result;
  }

  /** The sender of a request: what it says itself, else who shook hands. */
  #clientOf(method: string, meta: JsonObject): Client {
    const version = meta[VERSION_KEY];
    const isStateless = method === "server/discover" || version !== undefined || CAPABILITIES_KEY in meta;
    if (!isStateless) return this.#client;
    if (typeof version === "string" && version !== STATELESS_VERSION) {
      throw new ProtocolError(
        UNSUPPORTED_VERSION,
        `Unsupported protocol version ${
          JSON.stringify(version)
        }; supported: ${STATELESS_VERSION}, and with initialize ` +
          SESSION_VERSIONS.join(", "),
        { supported: [STATELESS_VERSION], requested: firstChars(version, MAX_ERROR) },
      );
    }
    const introduced = checked(method, StatelessMeta, meta, "params._meta");
    const { [CAPABILITIES_KEY]: capabilities, [CLIENT_KEY]: info } = introduced;
    return { name: info?.name, hasForms: hasForms(capabilities), isStateless };
  }

  #statelessResult(method: string, result: object): object {
    const ttlMs = FRESH_MS[method];
    const kept = ttlMs === undefined ? {} : { ttlMs, cacheScope: "private" };
    return {
      resultType: "complete",
      ...kept,
      ...result,
      _meta: { [SERVER_KEY]: this.#introduction.serverInfo },
    };
  }
}

/** The metadata by which `client` introduces itself in a request without a handshake. */
export function statelessMeta({ name, hasForms }: Client): JsonObject {
  const info = name === undefined ? {} : { [CLIENT_KEY]: { name, version: "" } };
  const capabilities = hasForms ? { elicitation: { form: {} } } : {};
  return { [VERSION_KEY]: STATELESS_VERSION, [CAPABILITIES_KEY]: capabilities, ...info };
}

function isId(id: unknown): id is Id {
  return typeof id === "string" || Number.isSafeInteger(id);
}

/** Whether a client can show forms: all that said `elicitation` can, unless it names other ways only. */
function hasForms({ elicitation }: JsonObject): boolean {
  return isJsonObject(elicitation) && ("form" in elicitation || Object.keys(elicitation).length === 0);
}

function errorOf(thrown: unknown): { code: number; message: string; data?: unknown } {
  const { message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return thrown instanceof ProtocolError
    ? { code: thrown.code, message, data: thrown.data }
    : { code: INTERNAL_ERROR, message: firstChars(message, MAX_ERROR) };
}

/** `value` as `schema` reads it. Throws an error in one line that names each invalid field, below `within`. */
function checked<Value>(
  method: string,
  schema: v.GenericSchema<unknown, Value>,
  value: unknown,
  within: string,
): Value {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const faults = parsed.issues.map((issue) => {
    const path = v.getDotPath(issue);
    return `${path === null ? within : `${within}.${path}`}: ${issue.message}`;
  });
  throw new ProtocolError(INVALID_PARAMS, `Invalid ${method} request: ${faults.join("; ")}`);
}
