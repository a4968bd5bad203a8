/**
 * The tool `run_command`: runs a shell command, stores its output, and returns the requested part, in one call; with `until`
 * in the background, for which `wait_fd` and `stop_fd` are. They are for clients without a shell, served only with `--run`.
 * It runs `fdtool run` in a child process. `--root` confines
 * its working directory only: a command can read, write and connect wherever the user can.
 */

import { spawn } from "node:child_process";
import { findFd, type Store } from "../../fd/mod.ts";
import { disk, fail } from "../../fd/system.ts";
import type { FramedAnswer } from "../calls/terms/answers.ts";
import { ownCall, textOf } from "../capturing/background/own_program.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";
import type { RequestFields, RequestOf } from "../calls/requests/request_fields.ts";
import { durationOf } from "../calls/requests/duration.ts";
import { isJsonObject } from "../calls/requests/json_object.ts";
import { readJson } from "../calls/requests/lenient_json.ts";
import { inSentences } from "../answers/parts/next_command.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { TIMED_OUT } from "../calls/streams/verdict.ts";
import { readFd } from "../reading/read_fd.ts";
import { resolveInRoot } from "../writing/commit/target_path.ts";
import { defineTool, type Tool } from "./tool.ts";

const text = (description: string) => ({ kind: "text", isNeverEmpty: true, description }) as const;
const timeLimit = (usual: string) =>
  ({ kind: "duration", description: `Seconds, or "10m" (default ${usual}).` }) as const;

const RUN_FIELDS = {
  command: { ...text("Run by sh."), isRequired: true },
  timeout: timeLimit("2m; with until 60s"),
  until: text("Return the first matching line; it goes on."),
  search: text("Return only lines that match (RE2)."),
  context: { kind: "integer", least: 0, description: "Lines around each." },
  tail: { kind: "integer", least: 1, description: "Only the last lines." },
  about: text("What you look for."),
  cwd: text("The directory."),
} as const satisfies RequestFields;

const FD_FIELD = { ...text("fd:12"), isRequired: true } as const;

const DEFAULT_TIMEOUT = "2m";
/** How long to wait for a background command: many clients give up a call after a minute. */
const DEFAULT_WAIT = "60s";
const WHOLE_CHARS = 8000;

const RUN_COMMAND = defineTool({
  name: "run_command",
  title: "Run a command",
  part: "fds",
  description:
    "Run a shell command; its output becomes an fd. The answer has the exit code and matching lines (search), " +
    "the last (tail) or a preview.\n" +
    'Example: {"command": "npm test", "search": "error|failed"}',
  fields: RUN_FIELDS,
  rules: [
    { field: "search", excludes: ["tail"] },
    { field: "until", excludes: ["search", "tail", "about"] },
    { field: "about", excludes: ["search", "tail"] },
    { field: "context", needs: "search" },
  ],
  answers: ["fd_result", "fd_content", "fd_matches"],
  readOnly: false,
  destructive: true,
  idempotent: false,
  openWorld: true,
  async run(request, host) {
    const { command, until, cwd = "." } = request;
    const limit = limitOf(request.timeout, until === undefined ? DEFAULT_TIMEOUT : DEFAULT_WAIT);
    durationOf("run_command", "timeout", limit);
    const directory = directoryOf(cwd, host);
    if (until !== undefined) return await runUntil(until, limit, command, directory, host);
    const options = ["--always", "--preview", "none", "--timeout", limit];
    const fds = await storedOutput(options, command, directory, host);
    return { exitCode: 0, answer: await shownPart(openHostStore(host), fds, limit, request, host) };
  },
});

/** The tools that are served with `--run`. */
export const RUN_TOOLS: readonly Tool[] = [
  RUN_COMMAND,
  defineTool({
    name: "wait_fd",
    command: "wait",
    title: "Wait for a command",
    part: "fds",
    description: "Wait until a background command ends or a line matches.",
    fields: {
      fd: FD_FIELD,
      until: text("Wait for a matching line."),
      timeout: timeLimit(DEFAULT_WAIT),
      about: text("What you look for."),
    },
    answers: ["fd_result", "fd_matches"],
    readOnly: true,
    destructive: false,
    idempotent: true,
    run: ({ fd, until, timeout, about }, host) =>
      answerBy("wait", { fd: [fd], until, timeout: limitOf(timeout, DEFAULT_WAIT), about }, host),
  }),
  defineTool({
    name: "stop_fd",
    command: "stop",
    title: "Stop a command",
    part: "fds",
    description: "End a background command.",
    fields: { fd: FD_FIELD },
    answers: ["fd_result", "fd_ended"],
    readOnly: false,
    destructive: true,
    idempotent: true,
    run: ({ fd }, host) => answerBy("stop", { fd: [fd] }, host),
  }),
];

function limitOf(timeout: number | string | undefined, usual: string): string {
  return typeof timeout === "number" ? `${timeout}s` : timeout ?? usual;
}

/** Answers by a command. The exit code is that of the command it asks about, not of the call. */
async function answerBy(name: "wait" | "stop", request: object, host: Host): Promise<Outcome> {
  const { answer } = await host.operations().find((each) => each.name === name)!.load();
  return { ...await answer!(request, host), exitCode: 0 };
}

/** Starts the command in the background, and ends it if the call is cancelled before it has an answer. */
async function runUntil(
  until: string,
  timeout: string,
  command: string,
  directory: string,
  host: Host,
): Promise<Outcome> {
  const { checkAwaited } = await import("../reading/await_line.ts");
  checkAwaited(until);
  // Ended while it starts the command, it could not say what to stop.
  const starter = { ...host, signal: undefined };
  const fd = await storedOutput(["--background"], command, directory, starter);
  try {
    return await answerBy("wait", { fd, until, timeout }, host);
  } catch (thrown) {
    if (host.signal?.aborted === true) await answerBy("stop", { fd }, starter);
    throw thrown;
  }
}

function directoryOf(path: string, host: Host): string {
  const real = resolveInRoot(path, host);
  const found = disk.stat(real, { throwIfNoEntry: false });
  if (found === undefined) return fail({ kind: "file_not_found", path, action: "run in" });
  return found.isDirectory() ? real : fail({ kind: "read_error", path, action: "run in", code: "ENOTDIR" });
}

/** Runs the command with these options and returns the handle of its output, and that of an fd that goes on. */
async function storedOutput(
  options: readonly string[],
  command: string,
  directory: string,
  host: Host,
): Promise<string[]> {
  const words = ["run", ...options, "--format", "json", "--cwd", directory, "--shell", "--", command];
  const { path, args, options: place } = ownCall(words, host);
  const child = spawn(path, args, { ...place, stdio: ["ignore", "pipe", "pipe"] });
  const stop = () => child.kill("SIGTERM");
  host.signal?.addEventListener("abort", stop);
  const outputs = await Promise.all([child.stdout, child.stderr].map((each) => textOf(each, LONGEST_ANSWER)))
    .finally(() => host.signal?.removeEventListener("abort", stop));
  host.signal?.throwIfAborted();
  // If only a part was stored, the answer is on stderr.
  const fds: string[] = [];
  for (const line of outputs.flatMap((text) => text.split("\n"))) {
    const reading = readJson(line);
    const answer = reading.kind === "value" && isJsonObject(reading.value) ? reading.value : {};
    if (answer["type"] === "fd_result") fds.push(String(answer["fd"]));
  }
  if (fds.length > 0) return fds;
  return fail({ kind: "read_error", path: command, action: "store the output of", code: "EIO" });
}

/** Answers are short, but output that could not be stored may have any length. */
const LONGEST_ANSWER = 65_536;

async function shownPart(
  store: Store,
  [fd = "", live]: readonly string[],
  limit: string,
  { search, context, tail, about }: RequestOf<typeof RUN_FIELDS>,
  host: Host,
): Promise<FramedAnswer> {
  const entry = findFd(store, fd);
  const { exitCode: exit_code, signal, charCount } = entry;
  const notes = exit_code === TIMED_OUT && signal !== undefined
    ? [`The command timed out after ${limit}.`]
    : live === undefined
    ? []
    : [`Processes that it left in the background go on, with all output in ${live}; stop_fd ends them.`];
  if (search !== undefined) {
    const { searchFd } = await import("../reading/searching/search_fd.ts");
    const found = await searchFd(store, { fd, pattern: search, context }, host.checkpoint);
    if (found.type !== "fd_matches") throw new Error("a search without extraction answers matches");
    const messages = found.message === undefined ? notes : [found.message, ...notes];
    const message = messages.length === 0 ? undefined : inSentences(messages);
    return { ...found, exit_code, signal, message };
  }
  if (tail !== undefined) {
    return { ...await readFd(store, { fd: live ?? fd, mode: "line", tail }), exit_code, signal };
  }
  const { endedResult } = await import("../capturing/background/ended_result.ts");
  const previewChars = charCount <= WHOLE_CHARS ? WHOLE_CHARS : undefined;
  const shown = { preview: "digest", about, previewChars, remarks: notes, reader: "read_fd" } as const;
  return (await endedResult(store, entry, shown)).answer;
}
