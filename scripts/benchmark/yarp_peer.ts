/**
 * The peer yarp (crate `yarp-cli`): a Rust program that keeps the output of tools in an SQLite database, zstd-compressed
 * and each content once. `scripts/bench` installs it with cargo.
 */

import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { freshDirectory, type Setting } from "./bench_setting.ts";
import { pause as pauseMs } from "../../fd/disk/disk.ts";
import { outputOf, quoted, shell, type Task } from "./run_process.ts";

const VERSION = "0.3.1";

/** How rows name it. */
export const YARP = `yarp ${VERSION}`;

/** An archive of this run's own, and the process that writes to it. */
export interface YarpArchive {
  program: string;
  directory: string;
  env: Readonly<Record<string, string>>;
  /** Ends the process. */
  close(): void;
}

/** A tool call to archive: its arguments, and what it returned. */
export interface ArchivedCall {
  id: string;
  command: string;
  /** Absent: the call is only begun, and `yarp run` archives its streams. */
  text?: string;
}

/** Returns the installed program, installing it first; or the reason why that is impossible. */
export function installedYarp(setting: Setting): { program: string } | { missing: string } {
  const root = join(homedir(), ".cache", "fdtool", "bench", `yarp-${VERSION}`);
  const program = join(root, "bin", "yarp");
  if (existsSync(program)) return { program };
  setting.say(`installing ${YARP} with cargo (once, minutes) …`);
  const install = ["cargo", "install", "yarp-cli", "--version", VERSION, "--locked", "--root", root];
  try {
    outputOf({ command: install, env: { HOME: homedir() } });
    return { program };
  } catch (thrown) {
    return { missing: `cargo could not install ${YARP}: ${String(thrown).split("\n")[0]}` };
  }
}

/** Opens an empty archive of that name, and starts its broker, through which every call is written. */
export function openArchive(setting: Setting, program: string, name: string): YarpArchive {
  const directory = freshDirectory(setting, name);
  const runtime = join(directory, "runtime");
  mkdirSync(runtime, { mode: 0o700 });
  const env = { XDG_DATA_HOME: directory, XDG_RUNTIME_DIR: runtime };
  const broker = spawn(program, ["archive", "broker"], { env: { HOME: directory, ...env }, stdio: "ignore" });
  broker.unref();
  for (let turn = 0; turn < 500 && !hasSocket(runtime); turn++) pauseMs(10);
  return { program, directory, env, close: () => void broker.kill() };
}

function hasSocket(directory: string): boolean {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).some((entry) => entry.isSocket());
}

/** Runs `yarp ARGS` on that archive. */
export function yarpTask({ program, env }: YarpArchive, ...args: string[]): Task {
  return { command: [program, ...args], env };
}

/** The words that tell `yarp run` under which call it archives. */
export function callWords(id: string): string[] {
  const { agent, account, sourceSessionId } = SESSION;
  return [
    ...["--archive-agent", agent, "--archive-account", account],
    ...["--archive-session", sourceSessionId, "--archive-call", id],
  ];
}

const SESSION = { agent: "bench", account: "bench", sourceSessionId: "bench", startedAtMs: 1 };

/** How many calls are archived at once: each waits for the next joint commit. */
const BRIDGES = 16;

/** Archives `calls` as yarp's adapter for an agent does, and returns their references. */
export function archiveCalls(archive: YarpArchive, calls: readonly ArchivedCall[]): string[] {
  const task = yarpTask(archive, "archive", "ingest");
  const ingest = task.command.map(quoted).join(" ");
  const scratch = join(archive.directory, "frames");
  mkdirSync(scratch);
  const lines: string[] = [];
  for (let bridge = 0; bridge < Math.min(BRIDGES, calls.length); bridge++) {
    const frames = join(scratch, String(bridge));
    const own = calls.filter((_, place) => place % BRIDGES === bridge);
    writeFileSync(frames, Buffer.concat(own.flatMap(framesOf)));
    lines.push(`${ingest} < ${quoted(frames)} &`);
  }
  const acks = outputOf({ ...task, command: shell(`${lines.join(" ")} wait`) });
  rmSync(scratch, { recursive: true });
  return acks.trim().split("\n").flatMap((line) => {
    const ack: { ok: boolean; archiveRef?: string; error?: string } = JSON.parse(line);
    if (!ack.ok) throw new Error(`yarp refused a call: ${ack.error}`);
    return ack.archiveRef ?? [];
  });
}

function framesOf({ id, command, text }: ArchivedCall, place: number): Buffer[] {
  const nowMs = Date.now();
  const common = { requestId: place + 1, schemaVersion: 1, session: SESSION };
  const begin = {
    ...common,
    operation: "begin_call",
    call: { sourceCallId: id, toolName: "bash", startedAtMs: nowMs, requiresStreams: text === undefined },
    inputBefore: { command },
    inputAfter: { command },
    capturedAtMs: nowMs,
    deadlineAtMs: nowMs + 29_000,
  };
  if (text === undefined) return [frameOf(begin)];
  const own = { ...common, sourceCallId: id };
  return [
    begin,
    { ...own, operation: "result_text", text, sourceCompleteness: "complete", capturedAtMs: nowMs },
    {
      ...own,
      operation: "finish_call",
      result: {},
      isError: false,
      requirePreResult: false,
      finishedAtMs: nowMs,
    },
  ].map(frameOf);
}

function frameOf(request: Readonly<Record<string, unknown>>): Buffer {
  const body = Buffer.from(JSON.stringify(request));
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(body.length));
  return Buffer.concat([length, body]);
}
