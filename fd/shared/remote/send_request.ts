/**
 * Sends the requests of one store: signs them, repeats what may succeed later, and turns what will not into failures.
 *
 * A request whose answer was lost may have taken effect, so conditional writes must be settled by their caller. That
 * holds for a first attempt too: the runtimes (Bun 1.4, Deno 2.9) send a request again by themselves if a connection that
 * was used before is closed without an answer, and proxies may.
 */

import { countToday } from "../../disk/day_counts.ts";
import { fail } from "../../disk/errors.ts";
import type { StorePromise } from "../../failures.ts";
import type { Environment } from "../../store/open_store.ts";
import { connectionOptions } from "./connection_options.ts";
import { credentialSource } from "./credentials.ts";
import { CredentialsError } from "./environment_credentials.ts";
import { chosenProfile, readProfile } from "./read_profile.ts";
import {
  awsDomain,
  canonicalQuery,
  type Credentials,
  EMPTY_SHA256,
  sha256Hex,
  type SigningScope,
  signRequest,
} from "./sign_request.ts";
import type { StoreAddress } from "./store_url.ts";

/** How a store is used. */
export interface StoreOptions {
  /** Has the credentials, or says where they are. */
  env: Environment;
  /** A private directory where temporary credentials are kept between calls. */
  cacheDirectory?: string | undefined;
  /**
   * How long a request and its repetitions may take until an answer starts; default 20 s. Bytes to send add to it. An
   * answer may go on as long as bytes come.
   */
  patienceMs?: number | undefined;
  /** A directory in which requests are counted, and those that failed. */
  countsDirectory?: string | undefined;
  /** Ends all requests; they throw its reason. */
  signal?: AbortSignal | undefined;
}

interface StoreRequest {
  method: "GET" | "HEAD" | "PUT" | "DELETE";
  /** With the store's prefix. */
  key: string;
  query?: Readonly<Record<string, string>> | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: Uint8Array<ArrayBuffer> | undefined;
  /**
   * The end of the body is sent after this, if the runtime can, and without its sum: stores that check a condition before
   * they have the whole body check it now. Stores that take no such request get a usual one.
   */
  endsAfter?: Promise<void> | undefined;
  /** The most bytes of an object that the answer may have. */
  maxBytes?: number | undefined;
  /** Shown in failures: "create fd/000000000012". */
  action: string;
  /** The promise that a store breaks which does not know this kind of request. */
  promise: StorePromise;
}

/** An answer whose status is 2xx, 404, 412 or 416. */
export interface StoreAnswer {
  status: number;
  headers: Headers;
  bytes: Uint8Array<ArrayBuffer>;
  serverNowMs: number;
}

type SendRequest = (request: StoreRequest) => Promise<StoreAnswer>;

/** Bytes that an answer may have at least: a list of a thousand keys, or an error. */
const MAX_ANSWER_BYTES = 4 * 2 ** 20;
const RETRIES = 4;
/** The longest pause before the first retry; it doubles with each. */
const FIRST_PAUSE_MS = 100;
const PATIENCE_MS = 20_000;
/** Answers of a server that works come within this. */
const ATTEMPT_MS = 10_000;
/** The slowest connection that counts as working. */
const MIN_BYTES_PER_MS = 64;
/** Servers refuse requests whose date differs by 15 minutes; most clocks differ by less than this. */
const LARGE_SKEW_MS = 4 * 60_000;

const EXPIRED = ["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "InvalidToken"];
const RETRIED_STATUS = [408, 409, 425, 429];
const RETRIED_CODES = ["RequestTimeout", "SlowDown", "InternalError", "ServiceUnavailable", "Throttling"];
const EXPECTED_STATUS = [404, 412, 416];

/** Makes the function that sends requests to `address`. */
export function requestSender(address: StoreAddress, options: StoreOptions): SendRequest {
  const source = credentialSource(options.env, options.cacheDirectory);
  const { signal, patienceMs = PATIENCE_MS } = options;
  let region: string | undefined;
  /** The server's clock less this host's, once the server has refused a date. */
  let skewMs = 0;

  const send = async (request: StoreRequest, isRenewed: boolean): Promise<Attempt> => {
    let credentials: Credentials;
    try {
      credentials = await source(isRenewed);
    } catch (thrown) {
      if (!(thrown instanceof CredentialsError)) throw thrown;
      const kind = thrown.isUnreachable ? "store_unreachable" : "store_denied";
      return fail({ kind, store: address.place, action: request.action, reason: thrown.message });
    }
    region ??= regionOf(address, options.env);
    const scope = { credentials, region, service: "s3", nowMs: Date.now() + skewMs };
    const timeoutMs = Math.min(patienceMs, ATTEMPT_MS) + transferMs(request);
    const sent = await attempt(address, request, scope, timeoutMs, options);
    if (options.countsDirectory !== undefined) countAttempt(options.countsDirectory, request, sent);
    return sent;
  };

  return async (asked) => {
    let request = asked;
    const endAtMs = Date.now() + patienceMs + transferMs(request);
    let isRenewed = false;
    let isCorrected = false;
    let wasRenewed = false;
    for (let retries = 0;;) {
      signal?.throwIfAborted();
      const sent = await send(request, isRenewed);
      isRenewed = false;
      signal?.throwIfAborted();
      if (sent.kind === "answer" && isUsable(sent)) {
        if (!Number.isNaN(sent.serverNowMs)) return sent;
        const found = `${request.method} had no Date`;
        fail({ kind: "store_unfit", store: address.place, promise: "answers", found });
      }
      if (sent.kind === "answer") {
        const serverSkewMs = sent.serverNowMs - Date.now();
        if (!isCorrected && isDateRefused(sent, serverSkewMs - skewMs)) {
          isCorrected = true;
          skewMs = serverSkewMs;
          continue;
        }
        if (!wasRenewed && isExpired(sent)) {
          wasRenewed = isRenewed = true;
          continue;
        }
        if (request.endsAfter !== undefined && sent.status < 500) {
          request = { ...request, endsAfter: undefined };
          continue;
        }
        if (!isRetried(sent)) refuse(address, request, sent);
      }
      const pauseMs = Math.random() * FIRST_PAUSE_MS * 2 ** retries;
      if (retries === RETRIES || Date.now() + pauseMs > endAtMs) {
        const reason = sent.kind === "answer" ? reasonOf(sent) : sent.reason;
        fail({ kind: "store_unreachable", store: address.place, action: request.action, reason });
      }
      retries++;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
}

function countAttempt(directory: string, { method, key, body }: StoreRequest, sent: Attempt): void {
  const byteCount = (body?.length ?? 0) + (sent.kind === "answer" ? sent.bytes.length : 0);
  countToday(directory, "requests", key === "" ? "list" : method.toLowerCase(), byteCount);
  if (sent.kind !== "answer" || !isUsable(sent)) countToday(directory, "errors", errorOf(sent), 0);
}

/** Names the kind of an error, for counts. */
function errorOf(sent: Attempt): string {
  if (sent.kind === "lost") return "unreachable";
  const { status, code = "" } = sent;
  if (status === 401 || status === 403 || EXPIRED.includes(code)) return "denied";
  if (status === 429 || status === 503 || code === "SlowDown") return "throttled";
  return status >= 500 ? "server" : "refused";
}

function transferMs({ body }: StoreRequest): number {
  return (body?.length ?? 0) / MIN_BYTES_PER_MS;
}

function regionOf({ region, endpoint }: StoreAddress, env: Environment): string {
  const named = region ?? (env["AWS_REGION"] || env["AWS_DEFAULT_REGION"]);
  if (named) return named;
  if (endpoint === undefined) {
    const profile = readProfile(env, chosenProfile(env));
    if (profile?.get("region")) return profile.get("region")!;
  }
  return "us-east-1";
}

function urlOf({ bucket, endpoint, isPathStyle, prefix }: StoreAddress, region: string, key: string): URL {
  const origin = new URL(endpoint ?? `https://s3.${region}.${awsDomain(region)}`);
  if (isPathStyle) return new URL(`${origin.origin}/${bucket}${key === "" ? "" : `/${prefix}${key}`}`);
  return new URL(`${origin.protocol}//${bucket}.${origin.host}/${key === "" ? "" : prefix + key}`);
}

type Attempt = Answered | { kind: "lost"; reason: string };

interface Answered extends StoreAnswer {
  kind: "answer";
  method: string;
  /** S3's name of the error; undefined if the answer has none, such as any to HEAD. */
  code: string | undefined;
}

/** Sends `request` once. */
async function attempt(
  address: StoreAddress,
  request: StoreRequest,
  scope: SigningScope,
  timeoutMs: number,
  { env, signal }: StoreOptions,
): Promise<Attempt> {
  const { method, body, endsAfter } = request;
  const bodySha256 = endsAfter !== undefined
    ? "UNSIGNED-PAYLOAD"
    : body === undefined
    ? EMPTY_SHA256
    : await sha256Hex(body);
  const url = urlOf(address, scope.region, request.key);
  const query = canonicalQuery(request.query ?? {});
  const { host, pathname: path } = url;
  const asked = { ...request.headers, "x-amz-content-sha256": bodySha256 };
  const headers = await signRequest({ method, host, path, query, headers: asked, bodySha256 }, scope);
  const connection = connectionOptions(url, env);
  const ender = new AbortController();
  const end = () => ender.abort();
  signal?.addEventListener("abort", end);
  let timer = setTimeout(end, timeoutMs);
  try {
    const answer = await fetch(query === "" ? url.href : `${url.href}?${query}`, {
      method,
      // Content is stored as it is; a proxy that compresses it would change its length.
      headers: {
        ...headers,
        "accept-encoding": "identity",
        ...endsAfter === undefined ? {} : { "content-length": String(body?.length) },
      },
      ...body === undefined ? {} : endsAfter === undefined ? { body } : heldBack(body, endsAfter),
      redirect: "manual",
      ...connection,
      signal: ender.signal,
    });
    const bytes = await readBody(answer, request.maxBytes ?? 0, () => {
      clearTimeout(timer);
      timer = setTimeout(end, ATTEMPT_MS);
    });
    if (bytes === undefined) {
      end();
      return { kind: "lost", reason: "the answer is longer than what was asked for" };
    }
    const length = answer.headers.get("content-length");
    if (method !== "HEAD" && length !== null && Number(length) !== bytes.length) {
      return { kind: "lost", reason: `the connection was cut after ${bytes.length} of ${length} bytes` };
    }
    const code = answer.ok ? undefined : /<Code>([\w.]+)<\/Code>/.exec(new TextDecoder().decode(bytes))?.[1];
    const serverNowMs = Date.parse(answer.headers.get("date") ?? "");
    return {
      kind: "answer",
      method,
      status: answer.status,
      headers: answer.headers,
      bytes,
      serverNowMs,
      code,
    };
  } catch (thrown) {
    return { kind: "lost", reason: ender.signal.aborted ? "no answer in time" : networkReason(thrown) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}

/** A body whose last byte waits for `endsAfter`. Deno sends streams without their length, which stores refuse. */
function heldBack(body: Uint8Array<ArrayBuffer>, endsAfter: Promise<void>): RequestInit {
  if (process.versions["bun"] === undefined) return { body };
  const most = body.length - 1;
  const stream = new ReadableStream({
    async start(stream) {
      stream.enqueue(body.subarray(0, most));
      await endsAfter;
      stream.enqueue(body.subarray(most));
      stream.close();
    },
  });
  return { body: stream };
}

/** Reads a whole body; `onProgress` is called whenever bytes came. Returns undefined if it has more than `maxBytes`. */
async function readBody(
  answer: Response,
  maxBytes: number,
  onProgress: () => void,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const reader = answer.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const most = Math.max(maxBytes, MAX_ANSWER_BYTES);
  const announced = Number(answer.headers.get("content-length"));
  if (announced > most) return undefined;
  let bytes = new Uint8Array(announced);
  for (let byteCount = 0;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, byteCount);
    onProgress();
    const end = byteCount + value.length;
    if (end > most) return undefined;
    if (end > bytes.length) {
      const longer = new Uint8Array(Math.min(most, 2 * end));
      longer.set(bytes.subarray(0, byteCount));
      bytes = longer;
    }
    bytes.set(value, byteCount);
    byteCount = end;
  }
}

/** The runtimes word network errors differently; their code, if there is one, is short. */
function networkReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const code = "code" in thrown && typeof thrown.code === "string" ? ` (${thrown.code})` : "";
  return `the connection failed${code}`;
}

function isUsable({ status, code }: Answered): boolean {
  if (status === 404) return code !== "NoSuchBucket";
  return (status >= 200 && status < 300) || EXPECTED_STATUS.includes(status);
}

function isRetried({ status, code = "" }: Answered): boolean {
  return (status >= 500 && status !== 501) || RETRIED_STATUS.includes(status) || RETRIED_CODES.includes(code);
}

/** Without a code (HEAD), a refusal by a server whose clock differs much counts as one of the date. */
function isDateRefused({ status, code }: Answered, skewMs: number): boolean {
  if (code === "RequestTimeTooSkewed" || code === "RequestExpired") return !Number.isNaN(skewMs);
  return status === 403 && code === undefined && Math.abs(skewMs) > LARGE_SKEW_MS;
}

function isExpired({ method, status, code }: Answered): boolean {
  return code === undefined
    ? method === "HEAD" && (status === 400 || status === 403)
    : EXPIRED.includes(code);
}

function reasonOf({ status, code, headers }: Answered): string {
  const region = headers.get("x-amz-bucket-region");
  const hint = status === 301 && region !== null ? `; the bucket is in region=${region}` : "";
  return `${status} ${code ?? ""}`.trim() + hint;
}

/** Throws the failure of an answer that will not change. */
function refuse(
  { place: store }: StoreAddress,
  { action, method, promise }: StoreRequest,
  answer: Answered,
): never {
  const { status, code = "" } = answer;
  const reason = reasonOf(answer);
  const isDenied = status === 401 || status === 403 || code === "NoSuchBucket" || EXPIRED.includes(code) ||
    status === 301 || status === 307 || code === "AuthorizationHeaderMalformed" ||
    code === "InvalidAccessKeyId";
  if (isDenied) fail({ kind: "store_denied", store, action, reason });
  return fail({ kind: "store_unfit", store, promise, found: `${method} was answered with ${reason}` });
}
