/**
 * Answers the page's requests with the operations that every other interface uses, as JSON. What
 * changes or starts anything is a POST request, which the person who started the server must have allowed.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { plainLines } from "../calls/terms/control_chars.ts";
import {
  findFd,
  locateIn,
  prepareBytes,
  prepareFd,
  readIn,
  readWhole,
  type Store,
  usedContent,
  whenReady,
} from "../../fd/mod.ts";
import { savingsOutcome } from "../reading/count_savings.ts";
import { failureOf, failureText } from "../answers/render/failure_text.ts";
import type { Host } from "../calls/terms/command.ts";
import type { WriteContext } from "../writing/commit/write_context.ts";
import { type AllowedRequest, numberIn, SECURITY_HEADERS, textIn, UiFault } from "./check_request.ts";
import { fdDiff } from "./diff_rows.ts";
import { fdFindings, fdHistory, fdRows, oneFd, PAGE_DAYS, storeGrowth, storeNews } from "./fd_rows.ts";
import { journalRows, openQuestions, stepRows, undoStep } from "./journal_rows.ts";
import { lineRows, longLineRows } from "./line_rows.ts";
import { lineOfTime } from "./line_times.ts";
import { pageText } from "./page_text.ts";
import { runAgain, stopRun } from "./run_orders.ts";
import { fdSections } from "./line_sections.ts";
import {
  matchingRows,
  neighbourMatch,
  type Searches,
  streamSearch,
  streamStoreSearch,
} from "./search_places.ts";

/** The data that requests are answered from. */
interface Served {
  files: ReadonlyMap<string, PageFile>;
  context: WriteContext;
  searches: Searches;
  allowUndo: boolean;
  allowRun: boolean;
  host: Host;
  version: string;
}

/** The page is at the address itself. */
const FIRST_FILE = "index.html";
const PIECE_BYTES = 1_048_576;

/** Answers an allowed request. Failures become an answer, too. */
export async function answerRequest(
  { method, path, query }: AllowedRequest,
  response: ServerResponse,
  served: Served,
): Promise<void> {
  try {
    const isCall = path.startsWith("api/");
    const name = isCall ? path.slice("api/".length) : "";
    const wanted = Object.hasOwn(ORDERS, name) ? "POST" : "GET";
    if (method !== wanted) {
      response.setHeader("Allow", wanted);
      throw new UiFault(405, `${path} does not answer ${method}.`);
    }
    if (!isCall) return sendFile(response, served.files.get(path === "" ? FIRST_FILE : path));
    await prepareFds(served.context.store, query);
    if (path === "api/search") return await sendSearch(query, response, served);
    if (path === "api/content") return await sendContent(query, response, served);
    const isOver = () => response.destroyed || response.writableEnded;
    const calls = wanted === "POST" ? ORDERS : CALLS;
    const call = Object.hasOwn(calls, name) ? calls[name]! : failMissing;
    const answer = await call(served.context.store, query, served, isOver);
    if (!isOver()) send(response, 200, "application/json", JSON.stringify(answer));
  } catch (thrown) {
    if (response.headersSent) response.destroy();
    else sendFailure(response, thrown);
  }
}

type Call = (store: Store, query: URLSearchParams, served: Served, isOver: () => boolean) => unknown;

const CALLS: Readonly<Record<string, Call>> = {
  start: ({ path }, _, { version, allowUndo, allowRun }) => ({ store: path, version, allowUndo, allowRun }),
  news: storeNews,
  fds: fdRows,
  fd: oneFd,
  history: fdHistory,
  findings: fdFindings,
  growth: storeGrowth,
  savings: async (store) => (await savingsOutcome(store, PAGE_DAYS)).answer,
  questions: (_, __, { context }) => openQuestions(context),
  lines: lineRows,
  long: longLineRows,
  sections: fdSections,
  time: lineOfTime,
  match: (store, query, { searches }) => neighbourMatch(store, query, searches),
  matching: (store, query, { searches }) => matchingRows(store, query, searches),
  diff: (store, query, _, isOver) => fdDiff(store, query, isOver),
  log: (_, query, { context }) => journalRows(context, query),
  step: (_, query, { context }) => stepRows(context, query),
};

/** Calls that change or start something. */
const ORDERS: Readonly<Record<string, Call>> = {
  undo(_, query, { context, allowUndo }) {
    if (allowUndo) return undoStep(context, query);
    throw new UiFault(403, "This page is read-only. To undo from it: fdtool ui --allow-undo");
  },
  stop: (store, query, { allowRun }) => allowRun ? stopRun(store, query) : failRunning(),
  again: (store, query, { allowRun, host }) => allowRun ? runAgain(store, query, host) : failRunning(),
};

function failRunning(): never {
  throw new UiFault(403, "This page starts and stops nothing. To do so from it: fdtool ui --allow-run");
}

/** Prepares the fds that a request names, if the store is shared. */
async function prepareFds(store: Store, query: URLSearchParams): Promise<void> {
  const named = ["fd", "old", "new"].map((field) => query.get(field) ?? "");
  const live = (query.get("live") ?? "").split(",").map((id) => `fd:${id}`);
  for (const fd of [...named, ...live]) await prepareFd(store, fd);
}

function failMissing(): never {
  throw new UiFault(404, "There is nothing here.");
}

function sendFile(response: ServerResponse, file: PageFile | undefined): void {
  const { mediaType, text } = file ?? failMissing();
  send(response, 200, mediaType, text);
}

/** Sends the news of a search, one JSON object a line. */
async function sendSearch(query: URLSearchParams, response: ServerResponse, served: Served): Promise<void> {
  let isStarted = false;
  const { context: { store }, searches } = served;
  const reader = {
    say(news: object) {
      if (!isStarted) {
        response.writeHead(200, { ...SECURITY_HEADERS, "Content-Type": "application/x-ndjson" });
        isStarted = true;
      }
      response.write(`${JSON.stringify(news)}\n`);
    },
    isOver: () => response.destroyed,
  };
  if (query.has("fd")) await streamSearch(store, query, searches, reader);
  else await streamStoreSearch(store, query, reader);
  response.end();
}

/** Sends the content of an fd, or its lines `from` to `to`, as a file, as fast as the reader takes it. */
async function sendContent(
  query: URLSearchParams,
  response: ServerResponse,
  { context }: Served,
): Promise<void> {
  const { store } = context;
  const isPart = query.has("from") || query.has("to");
  const entry = isPart ? await pageText(store, query) : findFd(store, textIn(query, "fd"));
  using content = usedContent(store, entry);
  const most = Math.max(1, entry.lineCount);
  const start = numberIn(query, "from", { least: 1, most, otherwise: 1 });
  const last = numberIn(query, "to", { least: start, most, otherwise: most });
  const { fromByte, toByte } = isPart && entry.lineCount > 0
    ? await whenReady(content, (ready) => locateIn(ready, { mode: "line", start, count: last - start + 1 }))
    : { fromByte: 0, toByte: entry.byteCount };
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    "Content-Type": "application/octet-stream",
    "Content-Disposition": `attachment; filename="fd-${entry.id}.txt"`,
    "Content-Length": toByte - fromByte,
  });
  for (let at = fromByte; at < toByte && !response.destroyed; at += PIECE_BYTES) {
    const range = { fromByte: at, toByte: Math.min(toByte, at + PIECE_BYTES) };
    await prepareBytes(content, range);
    const piece = readWhole(readIn(store, content, range));
    await new Promise((resolve) => response.write(piece, resolve));
  }
  response.end();
}

/** Sends why a request is refused or failed. */
export function sendFailure(response: ServerResponse, thrown: unknown): void {
  const { status, type, message } = thrown instanceof UiFault
    ? { status: thrown.status, type: "refused", message: thrown.message }
    : failed(thrown);
  send(response, status, "application/json", JSON.stringify({ error: type, message }));
}

function failed(thrown: unknown) {
  const { type, message, detail = [] } = failureText(failureOf(thrown), undefined);
  const status = type === "not_found" || type === "removed" ? 404 : type === "internal_error" ? 500 : 409;
  return { status, type, message: plainLines([message, ...detail].join("\n")) };
}

function send(response: ServerResponse, status: number, mediaType: string, text: string): void {
  response.writeHead(status, { ...SECURITY_HEADERS, "Content-Type": mediaType });
  response.end(text);
}

const EMBEDDED = "ui-page.json.br";
const FOLDER = "browser/";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** A file of the page. */
interface PageFile {
  mediaType: string;
  text: string;
}

/**
 * Reads all files of the page, by name. `scripts/build` embeds the folder `page/` as one compressed JSON object; the source
 * form reads the folder.
 */
export function pageFiles(): ReadonlyMap<string, PageFile> {
  const embedded = fileURLToPath(new URL(EMBEDDED, import.meta.url));
  const texts: Record<string, string> = existsSync(embedded)
    ? JSON.parse(brotliDecompressSync(readFileSync(embedded)).toString("utf8"))
    : textsIn(fileURLToPath(new URL(FOLDER, import.meta.url)));
  return new Map(
    Object.entries(texts).map(([name, text]) => [
      name,
      { mediaType: MEDIA_TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "text/plain; charset=utf-8", text },
    ]),
  );
}

function textsIn(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(folder + name, "utf8")]));
}
