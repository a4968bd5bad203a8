/**
 * Runs fork, spawn, import, export, install, uninstall, hook, wait, stop, diff and ref with hostile words, stdin and
 * environment. Each answers or fails with a sentence, and no other file changes.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { joinBytes } from "../../fd/system.ts";
import { HARNESS_NAMES, HARNESSES } from "../../src/harnesses/harnesses.ts";
import { ILL_FORMED } from "../../tests/contents.ts";
import { makeWorld, type World } from "../../tests/world.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { hostileValue, hostileWord, mostly, plainWord } from "./hostile_words.ts";
import { must, sameBytes, seen } from "./inner_world.ts";
import { assertStoreHolds, assertTyped, noBinary } from "./outer_world.ts";
import type { Choices } from "./random_choices.ts";

/** A call: its words, its stdin and its environment. */
interface Call {
  words: string[];
  stdin?: string | Uint8Array;
  env?: Record<string, string | undefined>;
}

/** The input that a command is tried with. */
interface Trial {
  world: World;
  choices: Choices;
  /** A word that can be a process's argument: without NUL, and well-formed. */
  plain(): string;
  /** `--root` and the directory that contains this world. */
  root: readonly string[];
}

const HOOKED = HARNESSES.filter(({ loadHook }) => loadHook !== undefined).map(({ name }) => name);
const FDS = ["fd:1", "fd:2", "fd:3", "ref:two", "1"];

const CALLS: Readonly<Record<string, (trial: Trial) => Call>> = {
  fork: (trial) => ({
    words: ["fork", ...kept(trial), "--", ...commandOf(trial)],
    stdin: "for the command\n",
  }),

  spawn({ choices, plain, ...trial }) {
    const fd = () => choices.onceIn(3) ? plain() : choices.one(FDS);
    const words = ["spawn", ...kept({ choices, plain, ...trial })];
    if (!choices.onceIn(4)) words.push("--preload", fd(), ...(choices.onceIn(2) ? [fd()] : []));
    if (choices.onceIn(2)) words.push("--preload-file", choices.onceIn(2) ? "f" : plain());
    if (choices.onceIn(2)) words.push("--preamble");
    return {
      words: [...words, "--", ...commandOf({ choices, plain, ...trial })],
      stdin: "for the command\n",
    };
  },

  import({ world, choices, plain }) {
    if (choices.onceIn(3)) {
      return { words: ["import", choices.one([plain(), "f", ".", "/dev/null", "loop"])] };
    }
    const archive = Uint8Array.from(world.bytes("a.tar"));
    for (let n = choices.whole(0, 3); n > 0; n--) {
      archive[choices.whole(0, archive.length - 1)]! ^= choices.whole(1, 255);
    }
    const upTo = choices.onceIn(3) ? choices.whole(0, archive.length) : archive.length;
    return { words: ["import"], stdin: archive.subarray(0, upTo) };
  },

  export({ choices, plain, root }) {
    const fds = choices.onceIn(4) ? ["--all"] : [choices.onceIn(3) ? plain() : choices.one(FDS)];
    const output = choices.onceIn(4)
      ? "-"
      : choices.onceIn(3)
      ? choices.one(["f", "link", "new/a.tar"])
      : plain();
    return { words: ["export", ...fds, ...root, `--output=${output}`] };
  },

  install: (trial) => settingsCall("install", trial),
  uninstall: (trial) => settingsCall("uninstall", trial),

  hook({ choices, plain }) {
    if (choices.onceIn(5)) return { words: ["hook", plain(), plain()], stdin: plain() };
    return { words: ["hook", choices.one(HOOKED)], stdin: hookCall(choices) };
  },

  wait({ choices, plain }) {
    const fd = () => choices.onceIn(2) ? plain() : choices.one(FDS);
    const options = choices.onceIn(2) ? [`--timeout=${plain()}`] : [`--preview=${plain()}`];
    return { words: ["wait", fd(), fd(), ...(choices.onceIn(2) ? options : [])] };
  },

  stop({ choices, plain }) {
    const options = [`--signal=${choices.onceIn(2) ? plain() : "KILL"}`, `--grace=${plain()}`];
    const fd = choices.onceIn(2) ? plain() : choices.one(FDS);
    return { words: ["stop", fd, ...options.slice(choices.whole(0, 2))] };
  },

  diff({ choices, plain }) {
    const fd = () => choices.onceIn(3) ? plain() : choices.one([...FDS, "f", "-"]);
    const options = "--context --ignore --max-chars --format --store-whole".split(" ");
    const option = choices.one([...options, plain()]);
    return { words: ["diff", fd(), fd(), ...(choices.onceIn(2) ? [option, plain()] : [])], stdin: plain() };
  },

  ref({ choices, plain }) {
    const words = ["ref", ...(choices.onceIn(6) ? [plain()] : ["extract"])];
    return { words: choices.onceIn(3) ? [...words, "--report"] : words, stdin: message(choices) };
  },
};

/** A directory outside the root, where no write is allowed. */
function outsideOf({ dir }: World): string {
  return join(dir, "..", "..", "fdtool-soak-outside");
}

/** A directory for a store, or none; mostly one that must be refused. */
function kept({ world, choices, plain, root }: Trial): string[] {
  if (choices.onceIn(2)) return [];
  const place = choices.one([plain(), "f", "f/x", "link", "loop", world.store, ".", "", outsideOf(world)]);
  return [...root, "--keep", place];
}

/** A harmless command that ends by itself. */
function commandOf({ choices, plain }: Trial): string[] {
  return choices.one([
    ["true"],
    ["cat"],
    ["printf", "%s", plain()],
    ["sh", "-c", "echo no >&2; exit 3"],
    ["sh", "-c", "head -c 3"],
    ["sh", "-c", "echo more | fdtool capture --always; fdtool rm fd:1; fdtool ls"],
    ["sh", "-c", 'rm -f "$FDTOOL_STORE"/v2/fds/0000/1.rec'],
    ["./f"],
    ["./loop"],
    ["f/x"],
    [""],
    [],
  ]);
}

/** Throws if anything was written outside the world: the root must confine any words and variables. */
function settingsCall(verb: string, { world, choices, plain, root }: Trial): Call {
  const harness = choices.onceIn(6) ? plain() : choices.one(HARNESS_NAMES);
  const words = [verb, harness, ...root];
  if (choices.onceIn(3)) words.push(choices.one(["--project", "--user", "--dry-run"]));
  if (choices.onceIn(3)) {
    words.push("--config", choices.onceIn(2) ? plain() : choices.one(["f", "link", "g.json"]));
  }
  if (choices.onceIn(3)) words.push("--via", choices.onceIn(3) ? plain() : choices.one(["hook", "mcp"]));
  const env: Record<string, string | undefined> = {};
  for (const name of ["HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"]) {
    if (choices.onceIn(4)) env[name] = choices.one([plain(), join(world.home, "elsewhere"), "relative", ""]);
  }
  return { words, env };
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

async function callOnce(world: World, name: string, choices: Choices): Promise<void> {
  const plain = () => plainWord(choices);
  const trial = { world, choices, plain, root: ["--root", join(world.dir, "..")] };
  const { words, stdin = "", env = {} } = CALLS[name]!(trial);
  const about = JSON.stringify({ words, env, stdin: String(stdin).slice(0, 300) }).slice(0, 1200);
  const finished = await world.run(words, { stdin, env });
  assertTyped(finished, about);
  // The rest of a message reaches the reader, even if its references fail.
  if (name !== "ref" || !words.includes("extract") || words.includes("--report")) return;
  const given = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
  must(
    sameBytes(given, finished.stdout),
    () => `${about}: ${given.length} bytes of a message came out as ${finished.stdout.length}`,
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
  what:
    "fork, spawn, import, export, install, uninstall, hook, wait, stop, diff, ref with hostile words and input",
  wanted: 10_000,
  unable: noBinary,
  async round({ choices, attempt }: Round) {
    using world = makeWorld();
    world.write("f", "old\nlines\n");
    Deno.symlinkSync("loop", world.path("loop"));
    const victim = join(world.dir, "..", "victim");
    Deno.mkdirSync(victim);
    Deno.writeTextFileSync(join(victim, "theirs"), "theirs\n");
    Deno.symlinkSync("/proc/nowhere", world.path("link"));
    await world.run(["capture", "--always", "--name", "two"], { stdin: "one\ntwo\n".repeat(6000) });
    await world.run(["capture", "--always"], { stdin: "a\nb\n" });
    await world.run(["run", "--always", "--", "printf", "done"]);
    await world.run(["export", "--all", "--output", "a.tar"]);
    const names = Object.keys(CALLS);
    for (let n = 0; n < 44; n++) {
      await attempt("", () => callOnce(world, names[n % names.length]!, choices));
    }
    await attempt("", () => stopOnce(world, choices));
    await attempt("", () => {
      must(
        JSON.stringify(seen(victim)) === '{"theirs":"theirs\\n"}',
        () => "a neighbour's files were changed",
      );
      must(!existsSync(outsideOf(world)), () => "a store was kept outside the root");
    });
    await attempt("", () => assertStoreHolds(world, "after hostile commands", () => undefined));
  },
};
