/**
 * The server of the page, on the loopback interface only. It ends with the terminal that it was started in: signals end
 * the process as ever, and so does the end of a pipe at stdin.
 */

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fstatSync, mkdtempSync, read, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemCode } from "../../fd/system.ts";
import type { Report } from "../calls/terms/reports.ts";
import type { Host } from "../calls/terms/command.ts";
import { ignoredSignals } from "../calls/streams/signals.ts";
import { failValue } from "../calls/requests/usage_failure.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";
import { answerRequest, pageFiles, sendFailure } from "./answer_request.ts";
import { checkRequest, SECURITY_HEADERS, UiFault } from "./check_request.ts";

interface UiOptions {
  /** 0 for a free one. */
  port: number;
  allowUndo: boolean;
  allowRun: boolean;
  open: boolean;
}

const LOOPBACK = "127.0.0.1";
const STDIN = 0;
const TOKEN_BYTES = 24;

/**
 * Serves the page until stdin ends, if that is a pipe; else until a signal ends the process. Yields the address.
 *
 * @throws {UsageError} if the port is taken or may not be used.
 */
export async function* serveUi(host: Host, options: UiOptions): AsyncGenerator<Report, number, void> {
  const context = writeContextOf(host);
  const { version } = host;
  const { allowUndo, allowRun } = options;
  const searches = new Map();
  const served = { files: pageFiles(), context, searches, allowUndo, allowRun, host, version };
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  let removeLaunch: (() => void) | undefined;
  const launched = () => {
    removeLaunch?.();
    removeLaunch = undefined;
  };
  // An import would put half a megabyte of the runtime's bytecode for this module into the binary.
  const { createServer } = process.getBuiltinModule("node:http");
  const server = createServer((request, response) => {
    const allowed = checkRequest(request, { port: portOf(server), token });
    if (allowed instanceof UiFault) return sendFailure(response, allowed);
    // The page's files are named relative to its address.
    if (request.url === `/${token}`) {
      return void response.writeHead(308, { ...SECURITY_HEADERS, Location: `/${token}/` }).end();
    }
    launched();
    void answerRequest(allowed, response, served);
  });
  await listen(server, options.port);
  const url = `http://${LOOPBACK}:${portOf(server)}/${token}/`;
  if (options.open) removeLaunch = openBrowser(url);
  yield {
    type: "ui_server",
    facts: { url, read_only: !allowUndo && !allowRun, store: context.store.path },
    message:
      "Open this address in a browser on this machine. It gives access to the whole store. Ctrl-C ends it.",
  };
  await callerGone();
  launched();
  server.close();
  server.closeAllConnections();
  return 0;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port, host: LOOPBACK }, resolve);
    });
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    failValue("ui", "--port", String(port), `a port that is free and that this user may use (${code})`);
  }
}

/** Resolves when a pipe at stdin ends; never for a terminal, whose end is a signal, and for a file or no input. */
async function callerGone(): Promise<void> {
  const stat = fstatSync(STDIN);
  if (!stat.isFIFO() && !stat.isSocket()) return await new Promise(() => {});
  const bytes = new Uint8Array(4096);
  while (
    await new Promise<boolean>((resolve) => {
      read(STDIN, bytes, 0, bytes.length, null, (failure, count) => {
        resolve(failure === null ? count > 0 : failure.code === "EAGAIN");
      });
    })
  ) {
    // What comes before the end has no meaning.
  }
}

/** The program of each system that opens a file with what the user chose for it. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["explorer"],
};

/**
 * Opens `url` in the browser. It has the token in it, and other users can see the arguments of a process, so the browser is
 * given a private file that leads to it. Returns the function that removes the private file, once the browser has
 * read it; a signal that ends this process before removes it, too.
 */
function openBrowser(url: string): () => void {
  const folder = mkdtempSync(join(tmpdir(), "fdtool-ui-"));
  const file = join(folder, "open.html");
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
    `<meta http-equiv="refresh" content="0;url=${url}"><title>fdtool</title><a href="${url}">fdtool</a>\n`;
  writeFileSync(file, page, { mode: 0o600, flag: "wx" });
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, file], { stdio: "ignore", detached: true });
  // Without a browser the printed address still works.
  child.on("error", () => {});
  child.unref();
  const ignored = ignoredSignals();
  const ending = (["SIGINT", "SIGTERM", "SIGHUP"] as const).filter((signal) => !ignored.has(signal));
  const remove = () => {
    for (const signal of ending) process.off(signal, end);
    rmSync(folder, { recursive: true, force: true });
  };
  const end = (signal: NodeJS.Signals) => {
    remove();
    process.kill(process.pid, signal);
  };
  for (const signal of ending) process.on(signal, end);
  return remove;
}
