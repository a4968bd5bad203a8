/**
 * The binary with hostile words, standard input and environment: every command with options of its own, and what harnesses,
 * models and archives send. Each call answers or fails with a sentence, and nothing outside of the root changes.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { joinBytes } from "../../fd/system.ts";
import { listOperations } from "../../src/commands/rows.ts";
import { HARNESS_NAMES } from "../../src/harnesses/harnesses.ts";
import { ILL_FORMED } from "../../tests/contents.ts";
import { makeWorld, type World } from "../../tests/world.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { plan, TOOLS, toolText } from "./hostile_input.ts";
import { hostileValue, hostileWord, mostly, plainWord } from "./hostile_words.ts";
import { must, sameBytes, seen } from "./inner_world.ts";
import { assertStoreHolds, assertTyped, noBinary } from "./outer_world.ts";
import type { Choices } from "./random_choices.ts";

/** All but servers that end only by a signal, object stores, and what runs words as commands of a shell. */
const LEFT_OUT = new Set(["ui", "store", "sync", "shell", "supervise", "again"]);
const CALLABLE = listOperations().filter(({ name }) => !LEFT_OUT.has(name));
/** Operands that get a command beyond its usage: fds, harnesses, files, an archive. */
const OPERANDS = [
  "fd:1",
  "fd:2",
  "fd:3",
  "ref:two",
  "1",
  "f",
  "link",
  "loop",
  ".",
  "a.tar",
  "-",
  "extract",
  ...HARNESS_NAMES,
];
const COMMANDS = [
  ["true"],
  ["cat"],
  ["sh", "-c", "echo no >&2; exit 3"],
  ["sh", "-c", "echo more | fdtool capture --always; fdtool rm fd:1; fdtool ls"],
  ["sh", "-c", 'rm -f "$FDTOOL_STORE"/v2/fds/0000/1.rec'],
  ["./loop"],
  ["f/x"],
  [""],
];

/** A directory outside the root, where no write is allowed. */
function outsideOf({ dir }: World): string {
  return join(dir, "..", "..", "fdtool-soak-outside");
}

/** A call of any command, with its options and operands, and those of others. */
async function anyCall(world: World, choices: Choices): Promise<string[]> {
  const plain = () => plainWord(choices);
  const entry = choices.one(CALLABLE);
  const words = [choices.onceIn(20) ? plain() : entry.name];
  const options = Object.keys((await entry.load()).spec.options);
  for (let n = choices.whole(0, 4); n > 0; n--) {
    const value = choices.onceIn(3) ? choices.one([...OPERANDS, outsideOf(world), world.store]) : plain();
    if (options.length > 0 && choices.onceIn(2)) words.push(`--${choices.one(options)}=${value}`);
    else words.push(choices.onceIn(2) ? choices.one(OPERANDS) : plain());
  }
  words.push("--root", join(world.dir, ".."));
  return ["run", "fork", "spawn"].includes(entry.name) ? [...words, "--", ...choices.one(COMMANDS)] : words;
}

const EVENTS = ["PreToolUse", "PostToolUse", "PostToolUse", "PostToolUseFailure"];

/** A hook's input about a command that has run, often malformed. */
function hookCall(choices: Choices): string {
  const command = () =>
    choices.onceIn(2) ? hostileWord(choices) : choices.one(["make -j8", "ls; ls", "a <<EOF\nx\nEOF"]);
  const given = {
    hook_event_name: mostly(choices, 4, choices.one(EVENTS)),
    tool_name: mostly(choices, 4, "Bash"),
    tool_input: mostly(choices, 4, { command: command(), timeout: hostileValue(choices) }),
    tool_response: mostly(choices, 4, {
      stdout: mostly(choices, 3, hostileWord(choices).repeat(choices.whole(0, 3000))),
      stderr: hostileValue(choices),
      isImage: mostly(choices, 4, false),
      persistedOutputPath: choices.onceIn(3)
        ? choices.one([hostileWord(choices), "f", "link", "/dev/null", "."])
        : undefined,
      persistedOutputSize: choices.onceIn(3) ? hostileValue(choices) : undefined,
    }),
    error: mostly(choices, 2, "Exit code 1"),
  };
  const text = JSON.stringify(mostly(choices, 6, given));
  return choices.onceIn(5) ? text.slice(0, choices.whole(0, text.length)) : text;
}

/** A model's message with references: nested, unclosed, with invalid names, between bytes that are not UTF-8. */
function message(choices: Choices): Uint8Array {
  const encoder = new TextEncoder();
  const pieces = Array.from({ length: choices.whole(0, 12) }, () => {
    if (choices.onceIn(8)) return choices.one(ILL_FORMED);
    return encoder.encode(choices.one([
      '<ref id="a">',
      "<ref id='b'>",
      `<ref id="${hostileWord(choices)}">`,
      "<ref>",
      "<ref id=",
      "</ref>",
      "</ref",
      "</ ref >",
      '<REF ID="a">',
      "```\n",
      "text\r\n",
      hostileWord(choices),
    ]));
  });
  return joinBytes(pieces);
}

/** An archive with flipped bytes, or its beginning. */
function broken(whole: Uint8Array, choices: Choices): Uint8Array {
  const archive = Uint8Array.from(whole);
  for (let n = choices.whole(0, 3); n > 0; n--) {
    archive[choices.whole(0, archive.length - 1)]! ^= choices.whole(1, 255);
  }
  return archive.subarray(0, choices.onceIn(3) ? choices.whole(0, archive.length) : archive.length);
}

/** One call; half of them with input that its command is made for. */
async function callOnce(world: World, archive: Uint8Array, choices: Choices): Promise<void> {
  const tool = choices.one(TOOLS);
  const [words, stdin] = choices.onceIn(2)
    ? [
      await anyCall(world, choices),
      choices.one([hookCall(choices), message(choices), plainWord(choices), ""]),
    ] as const
    : choices.one<readonly [string[], string | Uint8Array]>([
      [["call", tool.name, "--root", world.dir], toolText(choices, tool)],
      [
        ["mcp"],
        `${toolText(choices, tool)}\n{"jsonrpc":"2.0","id":1,"method":${
          JSON.stringify(plainWord(choices))
        }}\n`,
      ],
      [["hook", choices.one(HARNESS_NAMES)], hookCall(choices)],
      [["ref", "extract"], message(choices)],
      [["import"], broken(archive, choices)],
      [["plan", "check", "-"], JSON.stringify(plan(choices))],
      [["edit", "f", "--root", world.dir], JSON.stringify(hostileValue(choices))],
      [["capture", `--name=${plainWord(choices)}`], message(choices)],
    ]);
  const env: Record<string, string> = {};
  for (const name of ["HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"]) {
    if (choices.onceIn(8)) {
      env[name] = choices.one([plainWord(choices), join(world.home, "elsewhere"), "relative", ""]);
    }
  }
  const about = JSON.stringify({ words, env, stdin: String(stdin).slice(0, 300) }).slice(0, 1200);
  const finished = await world.run(words, { stdin, env });
  assertTyped(finished, about);
  // The rest of a message reaches the reader, even if its references fail.
  if (words[0] !== "ref" || words.length > 2 || words[1] !== "extract") return;
  const given = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
  must(
    sameBytes(given, finished.stdout),
    () => `${about}: a message came out as ${finished.stdout.length} bytes`,
  );
}

/** A background command is ended by the hostile call or by the right one after it; and it is the only one. */
async function stopOnce(world: World, choices: Choices): Promise<void> {
  const plain = () => plainWord(choices);
  const started = await world.run(["run", "--background", "--format", "json", "--", "sleep", "60"]);
  const { fd } = JSON.parse(started.text) as { fd: string };
  const words = choices.onceIn(2)
    ? ["stop", fd, `--signal=${plain()}`, `--grace=${plain()}`]
    : ["wait", fd, "--timeout", "0", `--preview=${plain()}`];
  assertTyped(await world.run(words), JSON.stringify(words));
  const ended = await world.run(["stop", fd, "--signal", "KILL", "--format", "json"]);
  must(ended.code === 0, () => `${fd} cannot be stopped after ${JSON.stringify(words)}: ${ended.stderr}`);
}

export const hostileCommands: FaultClass = {
  name: "commands",
  what: "every command of the binary with hostile words, options, JSON, messages, archives and hook input",
  unable: noBinary,
  async round({ choices, attempt }: Round) {
    using world = makeWorld();
    world.write("f", "old\nlines\n");
    Deno.symlinkSync("loop", world.path("loop"));
    const victim = join(world.dir, "..", "victim");
    Deno.mkdirSync(victim, { recursive: true });
    Deno.writeTextFileSync(join(victim, "theirs"), "theirs\n");
    Deno.symlinkSync("/proc/nowhere", world.path("link"));
    await world.run(["capture", "--always", "--name", "two"], { stdin: "one\ntwo\n".repeat(6000) });
    await world.run(["capture", "--always"], { stdin: "a\nb\n" });
    await world.run(["run", "--always", "--", "printf", "done"]);
    await world.run(["export", "--all", "--output", "a.tar"]);
    const archive = world.bytes("a.tar");
    for (let n = 0; n < 60; n++) await attempt("", () => callOnce(world, archive, choices));
    await attempt("", () => stopOnce(world, choices));
    await attempt("", () => {
      must(
        JSON.stringify(seen(victim)) === '{"theirs":"theirs\\n"}',
        () => "a neighbour's files were changed",
      );
      must(!existsSync(outsideOf(world)), () => "a store was made outside the root");
    });
    await attempt("", () => assertStoreHolds(world, "after hostile commands", () => undefined));
  },
};
