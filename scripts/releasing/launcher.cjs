#!/usr/bin/env node
// Becomes the fdtool of this system, which npm installed beside this package: same arguments, streams and environment,
// same exit code or signal. Where Node cannot become another program (before 22.15, and on Windows) it stays as the
// parent and passes signals on.
"use strict";

const { spawn } = require("node:child_process");
const { closeSync, openSync, readSync } = require("node:fs");
const { constants } = require("node:os");
const { dirname, join } = require("node:path");
const process = require("node:process");
const { isatty } = require("node:tty");

const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];
/** What a terminal sends to the whole foreground group, so that the child has it already. */
const FROM_TERMINAL = ["SIGINT", "SIGQUIT", "SIGHUP"];

const args = process.argv.slice(2);

/** The names of the packages that may hold a binary for this system, the likeliest first. */
function candidates() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const system = `@fdtool/${platform}-${process.arch}`;
  if (process.platform !== "linux") return [system];
  return nodeRunsOnMusl() ? [`${system}-musl`, system] : [system, `${system}-musl`];
}

/** Whether this Node names musl's loader as its own, at the head of its file. */
function nodeRunsOnMusl() {
  const head = Buffer.alloc(4096);
  const file = openSync(process.execPath, "r");
  try {
    return head.toString("latin1", 0, readSync(file, head, 0, head.length, 0)).includes("/ld-musl-");
  } finally {
    closeSync(file);
  }
}

/** The binary's path; undefined where npm installed none. */
function findBinary() {
  const file = process.platform === "win32" ? "fdtool.exe" : "fdtool";
  for (const name of candidates()) {
    try {
      return join(dirname(require.resolve(`${name}/package.json`)), "bin", file);
    } catch (thrown) {
      if (thrown.code !== "MODULE_NOT_FOUND") throw thrown;
    }
  }
  return undefined;
}

function fail(sentence) {
  process.stderr.write(`fdtool: ${sentence}\n`);
  // As `fdtool run` says that no command was started.
  process.exitCode = args[0] === "run" ? 125 : 1;
}

function runAsChild(binary) {
  const child = spawn(binary, args, { stdio: "inherit" });
  const hasTerminal = [0, 1, 2].some((stream) => isatty(stream));
  for (const signal of PASSED_ON) {
    if (process.platform === "win32" && signal.startsWith("SIGUSR")) continue;
    process.on(signal, () => {
      if (!hasTerminal || !FROM_TERMINAL.includes(signal)) child.kill(signal);
    });
  }
  child.on("error", ({ message }) => fail(`${binary} cannot be started: ${message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    process.exitCode = 128 + constants.signals[signal];
  });
}

const binary = findBinary();
if (binary === undefined) {
  fail(
    `npm installed no binary for this system beside it; looked for ${candidates().join(" and ")}. ` +
      "Install it with optional dependencies (npm install --include=optional fdtool).",
  );
} else if (typeof process.execve === "function" && process.platform !== "win32") {
  process.execve(binary, [binary, ...args], process.env);
} else {
  runAsChild(binary);
}
