/**
 * Malformed configurations of harnesses for `install` and `uninstall`: JSON and TOML that are cut, nested, doubled or of
 * other shapes, homes that are missing or outside. If refused, the files are unchanged; after install and uninstall they
 * are the same bytes; nothing is written elsewhere.
 */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HARNESS_NAMES, HARNESSES } from "../../src/harnesses/harnesses.ts";
import { type FaultClass, trying } from "./fault_class.ts";
import settings from "./hostile_settings.json" with { type: "json" };
import { hostileValue, hostileWord } from "./hostile_words.ts";
import { called, type InnerWorld, innerWorld, must, seen } from "./inner_world.ts";
import { type Choices, weighted } from "./random_choices.ts";

/** Paths that `install` writes for a user and for a project, relative to the directory of files. */
const PLACES: readonly string[] = settings.places;

/** Text of a configuration: JSON, TOML or neither, cut, joined or nested. */
function hostileConfiguration(choices: Choices): string | Uint8Array {
  const piece = (): string =>
    choices.onceIn(2)
      ? choices.one(settings.json)
      : choices.onceIn(2)
      ? choices.one(settings.toml)
      : JSON.stringify(
        {
          [choices.one(["hooks", "mcpServers", "mcp", hostileWord(choices)])]: hostileValue(choices),
          [hostileWord(choices)]: hostileValue(choices),
        },
        null,
        choices.one([0, 2, 4, "\t"]),
      );
  const text = piece();
  const texts = weighted<() => string | Uint8Array>(
    [1, () => text.slice(0, choices.whole(0, text.length))],
    [1, () => text + piece()],
    [1, () => `\ufeff${text}`],
    [1, () => choices.one(["[", '{"hooks":', '{"mcp":', "a = ["]).repeat(choices.whole(1, 5000))],
    [1, () => Uint8Array.from([...new TextEncoder().encode(text), 0xff, 0xc0])],
    [1, () => text.replaceAll("\n", "\r\n")],
    [1, () => ""],
    [5, () => text],
  );
  return choices.one(texts)();
}

/** The hook of fdtool before 0.1, as {@link filesOf} shows it: an install replaces it, and it does not come back. */
const OLD_HOOK = JSON.stringify(
  '"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"fdtool hook',
)
  .slice(1, -1);

/** The configuration files of a world; directories created for them may stay. */
const filesOf = (world: InnerWorld) =>
  JSON.stringify(Object.entries(seen(world.files)).filter(([name]) => !name.endsWith("/")));

async function installOnce(choices: Choices): Promise<void> {
  using world = innerWorld();
  for (let n = choices.whole(0, 3); n > 0; n--) {
    const path = world.path(choices.one(PLACES));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, hostileConfiguration(choices));
  }
  const outside = join(dirname(world.files), "outside");
  mkdirSync(outside);
  const isLinked = choices.onceIn(4);
  if (isLinked) {
    const link = world.path(choices.one(["linked", "home/.claude", ".codex", ".gemini"]));
    mkdirSync(dirname(link), { recursive: true });
    if (seen(dirname(link))[`${link.slice(dirname(link).length + 1)}/`] === undefined) {
      symlinkSync(outside, link);
    }
  }
  const somewhere = () =>
    choices.one(["", "home/x", world.path("home/x"), outside, "linked", hostileWord(choices)]);
  const env: Record<string, string | undefined> = { ...world.host.env, HOME: world.path("home") };
  if (choices.onceIn(6)) env["HOME"] = choices.onceIn(4) ? undefined : somewhere();
  for (const name of ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "COPILOT_HOME", "QWEN_HOME"]) {
    if (choices.onceIn(6)) env[name] = somewhere();
  }
  const host = { ...world.host, env, root: world.files };
  const harness = choices.onceIn(15) ? hostileWord(choices) : choices.one(HARNESS_NAMES);
  const words = [harness];
  if (choices.onceIn(2)) words.push("--project");
  else if (choices.onceIn(4)) words.push("--config", choices.onceIn(2) ? choices.one(PLACES) : somewhere());
  if (choices.onceIn(2)) {
    words.push("--via", choices.onceIn(9) ? hostileWord(choices) : choices.one(["hook", "mcp"]));
  }
  const about = () => `${JSON.stringify(words)} ${JSON.stringify(env)} ${filesOf(world)}`.slice(0, 2000);
  const before = filesOf(world);
  const first = await called(["install", ...words], host);
  const written = first.outcome?.answer?.type === "write_result" && first.outcome.answer.tx !== undefined;
  must(written || filesOf(world) === before, () => `an install that wrote nothing changed files: ${about()}`);
  const installed = filesOf(world);
  const again = await called(["install", ...words], host);
  must(
    filesOf(world) === installed && again.failed === first.failed,
    () => `a second install is another one (${first.failed}, ${again.failed}): ${about()}`,
  );
  if (!isLinked && choices.onceIn(4)) {
    const path = world.path(choices.one(PLACES));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, hostileConfiguration(choices));
    await called(["uninstall", ...words], host);
    await called(["install", ...words], host);
  } else {
    const { failed } = await called(["uninstall", ...words, ...viaOf(words, first.text)], host);
    must(
      !written || failed === undefined,
      () => `what was installed cannot be uninstalled (${failed}): ${about()}`,
    );
    must(
      !written || filesOf(world) === before || before.includes(OLD_HOOK),
      () => `uninstalled, the files are others than before: ${about()}`,
    );
  }
  must(Object.keys(seen(outside)).length === 0, () => `something was made outside of the root: ${about()}`);
  const beside = Object.keys(seen(dirname(world.files))).filter((name) =>
    !/^(files|store|outside)(\/|$)/.test(name)
  );
  must(beside.length === 0, () => `something was made beside the root: ${beside.join()}: ${about()}`);
}

/** Uninstalling removes every kind of wiring unless one is named: here, only the one that was written. */
function viaOf(words: readonly string[], via: string): readonly string[] {
  if (words.includes("--via") || words.includes("--config")) return [];
  const isHooked = HARNESSES.some(({ name, wirings: [first] }) => name === words[0] && first?.via === "hook");
  return isHooked && via !== "" ? ["--via", "hook"] : [];
}

export const hostileSettings: FaultClass = {
  name: "settings",
  what:
    "configurations of harnesses that are cut, doubled or of other shapes: left, or installed and taken back exactly",
  wanted: 10_000,
  round: trying(100, installOnce),
};
