/**
 * install and uninstall (section 9, hooks): the smallest change of a harness's settings, everything else byte for byte,
 * and back; by the one path to a user's file.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname } from "node:path";
import { called, type InnerWorld, innerWorld } from "../scripts/soaking/inner_world.ts";
import { joined } from "./contents.ts";
import { assertFailure, encode, jsonOf } from "./read_answer.ts";
import { makeWorld, programUnderTest, type World } from "./world.ts";

/** The settings file of each harness, seen from a project, and the words that install it there. */
const WIRINGS = [
  { words: ["claude-code", "--project"], path: ".claude/settings.json", kind: "json" },
  { words: ["claude-code", "--project", "--via", "mcp"], path: ".mcp.json", kind: "json" },
  { words: ["gemini-cli", "--project"], path: ".gemini/settings.json", kind: "json" },
  { words: ["codex", "--project"], path: ".codex/config.toml", kind: "toml" },
  { words: ["opencode", "--project"], path: ".opencode/plugins/fdtool.js", kind: "plugin" },
  { words: ["opencode", "--project", "--via", "mcp"], path: "opencode.json", kind: "json" },
  { words: ["qwen-code", "--project"], path: ".qwen/settings.json", kind: "json" },
  { words: ["qwen-code", "--project", "--via", "mcp"], path: ".qwen/settings.json", kind: "json" },
  { words: ["pi", "--project"], path: ".pi/extensions/fdtool.js", kind: "plugin" },
  { words: ["copilot-cli", "--project"], path: ".github/hooks/fdtool.json", kind: "plugin" },
  { words: ["copilot", "--config", "mcp-config.json"], path: "mcp-config.json", kind: "json" },
  { words: ["gemini-cli", "--project", "--via", "memory"], path: "GEMINI.md", kind: "text" },
  { words: ["any", "--config", "docs/rules.md"], path: "docs/rules.md", kind: "text" },
] as const;

const JSON_SETTINGS: readonly string[] = [
  "{}",
  "{}\n",
  '{\n  "model": "opus"\n}\n',
  '{"model":"opus","hooks":{"PreToolUse":[{"matcher":"Edit","hooks":[]}]}}',
  '{\n\t"hooks": {\n\t\t"PreToolUse": [\n\t\t\t{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "mine" }] }\n' +
  '\t\t],\n\t\t"Stop": []\n\t},\n\t"permissions": {"allow": ["Bash(ls:*)"]}\n}',
  '{\r\n    "mcpServers": {\r\n        "other": { "command": "x" }\r\n    },\r\n    "z": [1,2,\r\n  3]\r\n}\r\n',
  '// mine\n{\n  // servers\n  "mcpServers": {\n    "other": {}, // keep\n    /* and this */\n  },\n  "mcp": {\n    "x": {}\n  },\n}\n',
  '{\n      "odd":   1 ,\n   "indent" : { }\n,"comma":"first"\n}',
  '{ "mcpServers": {}, "mcp": {}, "hooks": {} }',
];

const TOML_SETTINGS: readonly string[] = [
  "",
  'model = "o4"\n',
  '# mine\n[mcp_servers.other]\ncommand = "x" # keep\nargs = [\n  "a",\n]',
  'a = 1\r\n[b]\r\nc = """\r\n[mcp_servers.fdtool]\r\n"""\r\n',
  "[[list]]\nx = 1\n[[list]]\nx = 2\n\n\n",
  '[sandbox_workspace_write]\nwritable_roots = ["/b"] # mine\n[z]\n',
  'sandbox_workspace_write = { network_access = true }\nmcp_servers = { other = { command = "x" } }\n[z]\n',
  'sandbox_workspace_write = {network_access = true, writable_roots = ["/b"]}\r\nmcp_servers = {}',
  'sandbox_workspace_write.network_access = true\nmcp_servers.other.command = "x"\n',
];

const FAILURE_GROUP = {
  matcher: "Bash",
  hooks: [{ type: "command", command: "fdtool hook claude-code || true" }],
};
const HOOK_GROUP = { ...FAILURE_GROUP, matcher: "Bash|WebFetch|mcp__.*" };

/** Memory files, as people write them. */
const TEXTS: readonly string[] = ["", "# Rules\n", "# Rules\n\nBe brief.", "a\r\n\r\nb\r\n", "\n\n"];

/** Contents of a settings file of a kind; a byte order mark too. */
function settingsOf(kind: "json" | "toml" | "plugin" | "text"): Uint8Array[] {
  const texts = { json: JSON_SETTINGS, toml: TOML_SETTINGS, plugin: [], text: TEXTS }[kind];
  const marked = joined([Uint8Array.of(0xef, 0xbb, 0xbf), encode(texts[2] ?? "")]);
  return [...texts.map(encode), ...(texts.length > 0 ? [marked] : [])];
}

async function install(world: World, words: readonly string[]): Promise<Record<string, unknown>> {
  return jsonOf(await world.run(["install", ...words, "--format", "json"]));
}

async function uninstall(world: World, words: readonly string[]): Promise<Record<string, unknown>> {
  return jsonOf(await world.run(["uninstall", ...words, "--format", "json"]));
}

/** Every file below the world's directory. */
function filesOf(directory: string, prefix = ""): string[] {
  return [...Deno.readDirSync(directory)].flatMap(({ name, isDirectory }) =>
    isDirectory
      ? [`${prefix}${name}/`, ...filesOf(`${directory}/${name}`, `${prefix}${name}/`)]
      : [`${prefix}${name}`]
  ).sort();
}

/** The answer of a call inside this process: hundreds of starts of the binary would show the same. */
async function answerInside(world: InnerWorld, words: readonly string[]): Promise<Record<string, unknown>> {
  const { outcome, text } = await called(words, world.host);
  assert(outcome?.answer !== undefined, text);
  return { ...outcome.answer };
}

Deno.test("install, uninstall: every settings file comes back byte for byte, and a second time changes nothing", async () => {
  for (const { words, path, kind } of WIRINGS) {
    for (const before of settingsOf(kind)) {
      using world = innerWorld();
      const file = world.path(path);
      Deno.mkdirSync(dirname(file), { recursive: true });
      Deno.writeFileSync(file, before);
      const dry = await answerInside(world, ["install", ...words, "--dry-run"]);
      assertEquals([dry["dry_run"], Deno.readFileSync(file)], [true, before]);
      const done = await answerInside(world, ["install", ...words]);
      assert(typeof done["tx"] === "string" && typeof done["backup_fd"] === "string", JSON.stringify(done));
      const after = Deno.readFileSync(file);
      const again = await answerInside(world, ["install", ...words]);
      assertStringIncludes(String(again["message"]), "already");
      assertEquals(Deno.readFileSync(file), after, path);
      await answerInside(world, ["uninstall", ...words]);
      assertEquals(Deno.readFileSync(file), before, path);
      const none = await answerInside(world, ["uninstall", ...words]);
      assertStringIncludes(String(none["message"]), "not installed");
      assertEquals(Deno.readFileSync(file), before, path);
    }
  }
});

Deno.test("install: a missing file is created; the next command deletes it again with its directories", async () => {
  for (const { words, path } of WIRINGS) {
    using world = makeWorld();
    const { created, next } = await install(world, words);
    assertEquals(created, true);
    assert(filesOf(world.dir).includes(path), path);
    await world.shell(String(next));
    assertEquals(filesOf(world.dir), [], path);
  }
});

Deno.test("install: settings are as each harness's documentation requires", async () => {
  using world = makeWorld();
  for (const { words } of WIRINGS) await install(world, words);
  assertEquals(JSON.parse(world.text(".claude/settings.json")), {
    hooks: { PostToolUse: [HOOK_GROUP], PostToolUseFailure: [FAILURE_GROUP] },
    permissions: {
      allow: [
        "Bash(fdtool read:*)",
        "Bash(fdtool search:*)",
        "Bash(fdtool ls:*)",
        "Bash(fdtool stat:*)",
        "Bash(fdtool diff:*)",
      ],
    },
  });
  const server = { command: "fdtool", args: ["mcp"] };
  assertEquals(JSON.parse(world.text(".mcp.json")), { mcpServers: { fdtool: server } });
  assertEquals(JSON.parse(world.text(".gemini/settings.json")), { mcpServers: { fdtool: server } });
  assertEquals(JSON.parse(world.text("opencode.json")), {
    mcp: { fdtool: { type: "local", command: ["fdtool", "mcp"], enabled: true } },
  });
  assertStringIncludes(
    world.text(".codex/config.toml"),
    `\n[mcp_servers.fdtool]\ncommand = "fdtool"\nargs = ["mcp"]\n`,
  );
});

Deno.test("install: if PATH has no fdtool, settings name the binary", async () => {
  const [program, ...more] = programUnderTest();
  using world = makeWorld();
  const env = { PATH: "/usr/bin:/bin" };
  jsonOf(await world.run(["install", "gemini-cli", "--project", "--format", "json"], { env }));
  const { mcpServers } = JSON.parse(world.text(".gemini/settings.json"));
  assertEquals(mcpServers.fdtool.command, more.length === 0 ? program : "fdtool");
});

Deno.test("install: for the user, where each harness and its variables say", async () => {
  using world = makeWorld();
  const made = async (env: Record<string, string>, ...words: string[]) => {
    const { text } = await world.run(["install", ...words, "--format", "json"], { env });
    const { path, files = [] } = JSON.parse(text);
    // Of several files, the settings.
    return String(path ?? files.find((file: { path: string }) => /\.(json|toml)$/.test(file.path)).path);
  };
  assertEquals(await made({}, "claude-code"), `${world.home}/.claude/settings.json`);
  assertEquals(
    await made({ CLAUDE_CONFIG_DIR: `${world.dir}/c` }, "claude-code", "--user"),
    `${world.dir}/c/settings.json`,
  );
  assertEquals(await made({}, "gemini-cli"), `${world.home}/.gemini/settings.json`);
  assertEquals(await made({}, "codex"), `${world.home}/.codex/config.toml`);
  assertEquals(await made({ CODEX_HOME: `${world.dir}/x` }, "codex"), `${world.dir}/x/config.toml`);
  assertEquals(
    await made({}, "opencode"),
    `${world.home}/.config/opencode/plugins/fdtool.js`,
  );
  assertEquals(await made({}, "qwen"), `${world.home}/.qwen/settings.json`);
  assertEquals(await made({ QWEN_HOME: `${world.dir}/q` }, "qwen-code"), `${world.dir}/q/settings.json`);
  assertEquals(await made({}, "pi"), `${world.home}/.pi/agent/extensions/fdtool.js`);
  assertEquals(
    await made({ PI_CODING_AGENT_DIR: `${world.dir}/p` }, "pi", "--via", "memory"),
    `${world.dir}/p/AGENTS.md`,
  );
  assertEquals(await made({}, "copilot-cli"), `${world.home}/.copilot/hooks/fdtool.json`);
  const copilotHome = { COPILOT_HOME: `${world.dir}/g` };
  assertEquals(await made(copilotHome, "copilot-cli", "--via", "mcp"), `${world.dir}/g/mcp-config.json`);
  const config = { XDG_CONFIG_HOME: `${world.dir}/o` };
  world.write("o/opencode/opencode.jsonc", "{}");
  assertEquals(await made(config, "opencode", "--via", "mcp"), `${world.dir}/o/opencode/opencode.jsonc`);
  assertEquals(await made({}, "opencode", "--config", "my.json"), "my.json");
  const homeless = await world.run(["install", "codex", "--format", "json"], { env: { HOME: undefined } });
  assertFailure(homeless, "invalid_parameter", [2]);
});

Deno.test("uninstall: from a file edited since, only fdtool's part is removed", async () => {
  using world = makeWorld();
  const words = ["claude-code", "--project"];
  const path = ".claude/settings.json";
  const before =
    '{\n  // mine\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Edit" } // theirs\n    ]\n  }\n}\n';
  world.write(path, before);
  await install(world, words);
  world.write(path, world.text(path).replace('  "hooks"', '  "later": true,\n  "hooks"'));
  await uninstall(world, words);
  assertEquals(world.text(path), before.replace('  "hooks"', '  "later": true,\n  "hooks"'));

  world.write(".codex/config.toml", 'model = "a"\n');
  await install(world, ["codex", "--project"]);
  world.write(".codex/config.toml", `${world.text(".codex/config.toml").replace('"a"', '"b"')}[more]\n`);
  await uninstall(world, ["codex", "--project"]);
  assertEquals(world.text(".codex/config.toml"), 'model = "b"\n[more]\n');
});

Deno.test("uninstall: a hook moved among others is removed, and the others stay", async () => {
  using world = makeWorld();
  const theirs = { type: "command", command: "mine" };
  const ours = { type: "command", command: "/opt/fdtool hook claude-code --store /s || true" };
  const settings = (...hooks: unknown[]) =>
    `${JSON.stringify({ hooks: { PostToolUse: [{ matcher: "Bash", hooks }] } }, null, 2)}\n`;
  for (const hooks of [[theirs, ours], [ours, theirs], [theirs, ours, theirs]]) {
    world.write(".claude/settings.json", settings(...hooks));
    assertFailure(
      await world.run(["install", "claude-code", "--project", "--format", "json"]),
      "structure_invalid",
    );
    await uninstall(world, ["claude-code", "--project"]);
    assertEquals(world.text(".claude/settings.json"), settings(...hooks.filter((hook) => hook !== ours)));
  }
});

Deno.test("uninstall: without options, everything installed is removed", async () => {
  using world = makeWorld();
  await install(world, ["opencode", "--project", "--via", "hook"]);
  await uninstall(world, ["opencode", "--project"]);
  assertEquals(filesOf(world.dir), []);
  await install(world, ["opencode", "--project", "--via", "mcp"]);
  await install(world, ["opencode", "--project", "--via", "hook"]);
  const { code, text } = await world.run(["uninstall", "opencode", "--project", "--format", "json"]);
  assertEquals([code, text.trimEnd().split("\n").length], [0, 2]);
  assertEquals(filesOf(world.dir), []);
});

Deno.test("uninstall: hook and server in one file are removed, whichever came first, and the file with them", async () => {
  for (const ways of [["hook", "mcp"], ["mcp", "hook"]]) {
    for (const before of [undefined, '{\n  "theme": "dark"\n}\n']) {
      using world = makeWorld();
      if (before !== undefined) world.write(".qwen/settings.json", before);
      for (const via of ways) await install(world, ["qwen-code", "--project", "--via", via]);
      await world.run(["uninstall", "qwen-code", "--project"]);
      if (before === undefined) assertEquals(filesOf(world.dir), []);
      else assertEquals(world.text(".qwen/settings.json"), before);
    }
  }
});

Deno.test("uninstall: with another store than at install, only fdtool's part is removed", async () => {
  using world = makeWorld();
  for (const { words, path, kind } of WIRINGS.filter(({ kind }) => kind !== "plugin")) {
    const [, , before] = settingsOf(kind);
    world.write(path, before!);
    await install(world, words);
    jsonOf(
      await world.run(["uninstall", ...words, "--format", "json"], {
        env: { FDTOOL_STORE: world.path("other") },
      }),
    );
    assertEquals(world.bytes(path), before!, path);
  }
});

Deno.test("install: a settings file that cannot be read is refused, and nothing is written", async () => {
  using world = makeWorld();
  for (
    const [words, path, content] of [
      [["claude-code", "--project"], ".claude/settings.json", '{"hooks": {'],
      [["claude-code", "--project"], ".claude/settings.json", '{"hooks": []}'],
      [["claude-code", "--project"], ".claude/settings.json", '{"hooks": {}, "hooks": {}}'],
      [["gemini-cli", "--project"], ".gemini/settings.json", "[1]"],
      [
        ["gemini-cli", "--project"],
        ".gemini/settings.json",
        '{"mcpServers": {"fdtool": {"command": "other"}}}',
      ],
      [["codex", "--project"], ".codex/config.toml", "a = = 1\n"],
      [["codex", "--project"], ".codex/config.toml", "[[mcp_servers]]\nx = 1\n"],
      [["codex", "--project"], ".codex/config.toml", '"mcp_servers" = { other = {} }\n'],
      [["codex", "--project"], ".codex/config.toml", '[mcp_servers.fdtool]\ncommand = "other"\n'],
      [["opencode", "--project", "--via", "hook"], ".opencode/plugins/fdtool.js", "export const Mine = 1;\n"],
      [["pi", "--project"], ".pi/extensions/fdtool.js", "export default () => {};\n"],
      [["copilot-cli", "--project"], ".github/hooks/fdtool.json", '{"version":1,"hooks":{}}\n'],
    ] as const
  ) {
    world.write(path, content);
    const { message } = assertFailure(
      await world.run(["install", ...words, "--format", "json"]),
      "structure_invalid",
    );
    assert(message.length > 0);
    assertEquals(world.text(path), content);
  }
  world.write(".gemini/settings.json", Uint8Array.of(0x7b, 0xff, 0x7d));
  assertFailure(
    await world.run(["install", "gemini-cli", "--project", "--format", "json"]),
    "structure_invalid",
  );
});

Deno.test("install: a linked settings file is followed, permission bits stay, and the step can be undone", async () => {
  using world = makeWorld();
  world.write("dotfiles/claude.json", "{}\n");
  Deno.chmodSync(world.path("dotfiles/claude.json"), 0o600);
  Deno.mkdirSync(world.path(".claude"));
  Deno.symlinkSync("../dotfiles/claude.json", world.path(".claude/settings.json"));
  const { tx } = await install(world, ["claude-code", "--project"]);
  assertEquals(Deno.lstatSync(world.path(".claude/settings.json")).isSymlink, true);
  assertStringIncludes(world.text("dotfiles/claude.json"), "hook claude-code");
  assertEquals(Deno.statSync(world.path("dotfiles/claude.json")).mode! & 0o777, 0o600);
  jsonOf(await world.run(["undo", String(tx), "--format", "json"]));
  assertEquals(world.text("dotfiles/claude.json"), "{}\n");
});

Deno.test("install, uninstall: a file without write permission is refused, with what makes it writable", async () => {
  using world = makeWorld();
  const path = ".claude/settings.json";
  world.write(path, "{}\n");
  Deno.chmodSync(world.path(path), 0o444);
  const refused = assertFailure(
    await world.run(["install", "claude-code", "--project"]),
    "permission_error",
  );
  assertStringIncludes(refused.message, `chmod u+w ${path}`);
  assertEquals(world.text(path), "{}\n");
  Deno.chmodSync(world.path(path), 0o644);
  await install(world, ["claude-code", "--project"]);
  const installed = world.text(path);
  Deno.chmodSync(world.path(path), 0o444);
  assertFailure(await world.run(["uninstall", "claude-code", "--project"]), "permission_error");
  assertEquals(world.text(path), installed);
});

Deno.test("install codex: valid TOML that cannot be extended is not called invalid, and the refusal has the line to add", async () => {
  using world = makeWorld();
  world.write(".codex/config.toml", 'model = "x"\n"mcp_servers" = { other = { command = "x" } }\n');
  const { message } = assertFailure(await world.run(["install", "codex", "--project"]), "structure_invalid");
  assert(!message.includes("not valid"), message);
  assertStringIncludes(
    message,
    'line 2: add fdtool = { command = "fdtool", args = ["mcp"] } to mcp_servers by hand',
  );
});

Deno.test("install: wrong calls, other wirings and places outside of the root are refused", async () => {
  using world = makeWorld();
  const refused = async (type: string, code: number, ...words: string[]) =>
    assertFailure(await world.run([...words, "--format", "json"]), type, [code]);
  await refused("invalid_parameter", 2, "install", "emacs");
  await refused("invalid_parameter", 2, "install");
  await refused("invalid_parameter", 2, "install", "codex", "--user", "--project");
  await refused("invalid_parameter", 2, "install", "codex", "--via", "hook");
  await refused("invalid_parameter", 2, "install", "gemini-cli", "--via", "hook");
  await refused("invalid_parameter", 2, "install", "claude-code", "--via", "mcp");
  await refused("outside_root", 1, "install", "codex", "--config", "../c.toml", "--root", ".");
  assertEquals(filesOf(world.dir), []);
});

Deno.test("install: the settings name the store of the call", async () => {
  using world = makeWorld();
  await install(world, ["claude-code", "--project", "--store", "/some/it's store"]);
  const { hooks } = JSON.parse(world.text(".claude/settings.json"));
  const line: string = hooks.PostToolUse[0].hooks[0].command;
  assert(line.endsWith(` hook claude-code --store '/some/it'\\''s store' || true`), line);
});

Deno.test("claude-code: the shell that it names stores the model's output, and leaves hooks and servers alone", async () => {
  using world = makeWorld();
  await world.run(["install", "claude-code", "--store", `${world.dir}/it's`]);
  const path = `${world.home}/.claude/settings.json`;
  const { CLAUDE_CODE_SHELL_PREFIX: prefix } = JSON.parse(Deno.readTextFileSync(path)).env;
  const asked = async (line: string, agent: string, env: Record<string, string | undefined> = {}) =>
    await world.shell(`exec "$PREFIX" "$LINE"`, {
      env: {
        PREFIX: prefix,
        LINE: line,
        AI_AGENT: `claude-code_2-1-330_${agent}`,
        SHELL: "/bin/bash",
        ...env,
      },
    });
  const line = 'seq 1 5000; echo "$BASH"; exit 3';
  const stored = await asked(line, "agent");
  assertEquals(stored.code, 3);
  assertStringIncludes(stored.text, 'total_lines="5001"');
  assertEquals((await world.run(["ls", "--store", `${world.dir}/it's`])).text.match(/<fd /g)?.length, 1);
  // Without fdtool the model's commands run in the shell that they were to run in; others always in sh.
  const PATH = "/usr/bin:/bin";
  for (const [agent, env, shell] of [["agent", { PATH }, "/bin/bash"], ["harness", {}, ""]] as const) {
    const plain = await asked(line, agent, env);
    assertEquals([plain.code, plain.text.length], [3, 23_893 + shell.length + 1], agent);
  }
  const { text } = await world.run(["uninstall", "claude-code", "--store", `${world.dir}/it's`]);
  assertStringIncludes(text, "Restart any running Claude Code");
  assertEquals(filesOf(world.home).filter((each) => each.includes("claude")), []);
});

Deno.test("opencode: the shell that it names is fdtool, or bash if fdtool is gone, with the options that OpenCode gives", async () => {
  using world = makeWorld();
  const settings = "../home/.config/opencode/opencode.json";
  world.write(settings, '{ "theme": "x" }\n');
  const installed = await world.run(["install", "opencode", "--via", "shell"]);
  assertEquals(installed.code, 0, installed.stderr);
  const { shell } = JSON.parse(world.text(settings));
  const line = "exec \"$OWN\" -l -c 'seq 1 5000; echo $0 $1; exit 3' opencode /dir";
  const stored = await world.shell(line, { env: { OWN: shell } });
  assertEquals(stored.code, 3, stored.stderr);
  assertStringIncludes(stored.text, "\n5001:opencode /dir\n");
  const plain = await world.shell(line, { env: { OWN: shell, PATH: "/usr/bin:/bin" } });
  assertEquals([plain.code, plain.text.length], [3, 23_893 + "opencode /dir\n".length]);
  await world.run(["uninstall", "opencode"]);
  assertEquals(world.text(settings), '{ "theme": "x" }\n');
  assertEquals(filesOf(`${world.home}/.config`), ["opencode/", "opencode/opencode.json"]);
});

Deno.test("claude-code: --tools read adds a hook, also later, and uninstalling leaves none", async () => {
  using world = makeWorld();
  const path = ".claude/settings.json";
  for (const before of settingsOf("json").slice(3, 6)) {
    world.write(path, before);
    await install(world, ["claude-code", "--project"]);
    await install(world, ["claude-code", "--project", "--tools", "read"]);
    const installed = world.text(path);
    assertStringIncludes(installed, "fdtool hook claude-code --tools read || true");
    for (const words of [["--tools", "read"], []]) {
      const again = await install(world, ["claude-code", "--project", ...words]);
      assertStringIncludes(String(again["message"]), "already");
    }
    assertEquals(world.text(path), installed);
    assertStringIncludes((await world.run(["doctor", "claude-code"])).text, "installed (hook)");
    await uninstall(world, ["claude-code", "--project"]);
    assertEquals(world.bytes(path), before);
  }
  for (const words of [["opencode"], ["claude-code", "--via", "mcp"], ["any", "--config", "a.md"]]) {
    const refused = await world.run(["install", ...words, "--project", "--tools", "read"].slice(0));
    assertFailure(refused, "invalid_parameter", [2]);
  }
});

Deno.test("claude-code: a hook of the shell's results alone, as older versions wrote it, is a problem", async () => {
  using world = makeWorld();
  const path = ".claude/settings.json";
  world.write(path, JSON.stringify({ hooks: { PostToolUse: [FAILURE_GROUP] } }));
  assertFailure(await world.run(["install", "claude-code", "--project"]), "structure_invalid");
  const { text } = await world.run(["doctor", "claude-code"]);
  assertStringIncludes(text, "fdtool uninstall claude-code --project");
  await uninstall(world, ["claude-code", "--project"]);
  assertEquals(world.text(path), "{}");
});

Deno.test("claude-code: --no-rules adds no permission rule, says so, and doctor finds nothing wrong", async () => {
  using world = makeWorld();
  world.write(".claude/settings.json", '{ "permissions": { "allow": ["Bash(ls)"] } }\n');
  const installed = await world.run(["install", "claude-code", "--project", "--no-rules"]);
  assertStringIncludes(installed.text, "No permission rules were added");
  const settings = JSON.parse(world.text(".claude/settings.json"));
  assertEquals([settings.permissions, Object.keys(settings.hooks)], [
    { allow: ["Bash(ls)"] },
    ["PostToolUse", "PostToolUseFailure"],
  ]);
  const { text } = await world.run(["doctor", "claude-code"]);
  assertStringIncludes(text, "without all of its permission rules");
  assertEquals(text.includes("not as this version"), false);
  await world.run(["uninstall", "claude-code", "--project"]);
  assertEquals(world.text(".claude/settings.json"), '{ "permissions": { "allow": ["Bash(ls)"] } }\n');
});

Deno.test("claude-code: install says which commands it allows, and uninstall leaves the user's rules", async () => {
  using world = makeWorld();
  const path = ".claude/settings.json";
  const words = ["claude-code", "--project"];
  const before = '{\n  "permissions": {\n    "allow": ["Bash(fdtool read:*)", "Bash(ls)"]\n  }\n}\n';
  world.write(path, before);
  const message = String((await install(world, words))["message"]);
  assertStringIncludes(message, "no longer ask before fdtool read, search, ");
  const later = '{\n  "later": true,';
  world.write(path, world.text(path).replace("{", later));
  await uninstall(world, words);
  assertEquals(world.text(path), before.replace("{", later));
});

Deno.test("uninstall: codex is removed completely after Codex rewrote its file and dropped a mark", async () => {
  using world = makeWorld();
  const path = ".codex/config.toml";
  world.write(path, 'model = "a"\n\n[mcp_servers.other]\ncommand = "x"\n');
  await install(world, ["codex", "--project"]);
  // What `codex mcp add foo` made of it.
  const rewritten = world.text(path).replace(/# fdtool: written.*\n(?=\[mcp_servers)/, "\n")
    .replace('args = ["mcp"]\n', '$&\n[mcp_servers.foo]\ncommand = "/bin/true"\n');
  world.write(path, rewritten);
  const done = await uninstall(world, ["codex", "--project"]);
  assertStringIncludes(String(done["message"]), "Uninstalled fdtool");
  assertEquals(
    world.text(path),
    'model = "a"\n\n[mcp_servers.other]\ncommand = "x"\n\n[mcp_servers.foo]\ncommand = "/bin/true"\n',
  );
});

Deno.test("opencode: a shell that the user chose stays: uninstall and doctor leave it alone, install refuses it", async () => {
  using world = makeWorld();
  const settings = "../home/.config/opencode/opencode.json";
  const chosen = '{"shell": "/bin/zsh"}';
  world.write(settings, chosen);
  for (const command of ["install", "uninstall", "doctor"]) {
    const done = await world.run([command, "opencode"]);
    assertEquals(done.code, 0, done.text + done.stderr);
  }
  const refused = await world.run(["install", "opencode", "--via", "shell", "--format", "json"]);
  const { message } = assertFailure(refused, "structure_invalid");
  const script = world.path("../home/.config/opencode/fdtool/bash");
  assertStringIncludes(message, `shell has another value; write "shell": "${script}", then install again`);
  assertEquals(world.text(settings), chosen);
  world.write(settings, `{"shell": "${script}"}`);
  await install(world, ["opencode", "--via", "shell"]);
  assert(Deno.statSync(script).isFile);
});

Deno.test("install, uninstall: an entry that starts another program is left, and the refusal names it", async () => {
  using world = makeWorld();
  for (
    const [words, path, content] of [
      [["codex", "--project"], ".codex/config.toml", '[mcp_servers.fdtool]\ncommand = "other"\n'],
      [["gemini-cli", "--project"], ".gemini/settings.json", '{"mcpServers":{"fdtool":{"command":"other"}}}'],
      [["opencode", "--project", "--via", "mcp"], "opencode.json", '{"mcp":{"fdtool":{"type":"remote"}}}'],
    ] as const
  ) {
    world.write(path, content);
    for (const command of ["install", "uninstall"]) {
      const refused = await world.run([command, ...words, "--format", "json"]);
      const { message } = assertFailure(refused, "structure_invalid");
      assertStringIncludes(message, `Cannot change ${path}: `);
      assertStringIncludes(message, "by hand");
      assertEquals(world.text(path), content);
    }
  }
});

Deno.test("uninstall: a file that install created is deleted, even if the harness added members", async () => {
  using world = makeWorld();
  const schema = '"$schema": "https://opencode.ai/config.json"';
  await install(world, ["opencode", "--config", "opencode.json"]);
  world.write("opencode.json", world.text("opencode.json").replace("{\n", `{\n  ${schema},\n`));
  assertEquals((await uninstall(world, ["opencode", "--config", "opencode.json"]))["removed"], true);
  assertEquals(filesOf(world.dir), []);

  // Of a file that was there, or that a person wrote into, only our part goes.
  world.write("opencode.json", `{\n  ${schema}\n}\n`);
  await install(world, ["opencode", "--config", "opencode.json"]);
  world.write("opencode.json", `${world.text("opencode.json")}\n`);
  await uninstall(world, ["opencode", "--config", "opencode.json"]);
  assertEquals(world.text("opencode.json"), `{\n  ${schema}\n}\n\n`);
  Deno.removeSync(world.path("opencode.json"));
  await install(world, ["opencode", "--config", "opencode.json"]);
  world.write("opencode.json", world.text("opencode.json").replace("{\n", `{\n  ${schema}, // why\n`));
  await uninstall(world, ["opencode", "--config", "opencode.json"]);
  assertStringIncludes(world.text("opencode.json"), "// why");
});

Deno.test("uninstall: a directory that install made goes once it is empty, one that was there or in use stays", async () => {
  const both = ["install claude-code", "install claude-code --via memory"];
  const halves = ["uninstall claude-code --via hook", "uninstall claude-code --via memory"];
  const gone: readonly (readonly string[])[] = [
    [...both, ...halves],
    [...both, ...halves.toReversed()],
    [...both.toReversed(), ...halves],
    ["install claude-code", "rm .claude/fdtool-shell", "uninstall claude-code"],
    ["install claude-code", "rm .claude/*", "uninstall claude-code"],
    ["install opencode", "rm -r .config/opencode/plugins/*", "uninstall opencode"],
    ["install claude-code", "uninstall claude-code", "undo tx:4", "undo tx:3", "uninstall claude-code"],
  ];
  const stays: readonly (readonly string[])[] = [
    ["mkdir .claude", "install claude-code", "uninstall claude-code"],
    ["install claude-code", "uninstall claude-code", "mkdir .claude", ...both, ...halves],
    // With something of the user's in it, it became the user's.
    ["install claude-code", "touch .claude/x", "uninstall claude-code", "rm .claude/x", ...both, ...halves],
  ];
  for (
    const [steps, isLeft] of [
      ...gone.map((steps) => [steps, false] as const),
      ...stays.map((steps) => [steps, true] as const),
    ]
  ) {
    using world = makeWorld();
    for (const step of steps) {
      const command = /^(?:un)?install|^undo/.test(step) ? `fdtool ${step}` : step;
      assertEquals((await world.shell(`HOME=$PWD ${command}`)).code, 0, `${steps.join("; ")}: ${step}`);
    }
    assertEquals(filesOf(world.dir), isLeft ? [".claude/"] : [], steps.join("; "));
  }
});

Deno.test("install --memory: the paragraph is added with the settings, and both are removed", async () => {
  using world = makeWorld();
  world.write("GEMINI.md", "# Mine\n");
  const { code, text } = await world.run([
    "install",
    "gemini-cli",
    "--project",
    "--memory",
    "--format",
    "json",
  ]);
  const { files, next } = JSON.parse(text);
  assertEquals([code, files.length, next], [0, 2, "fdtool uninstall gemini-cli --project"]);
  assertStringIncludes(world.text("GEMINI.md"), "# Mine\n\n<!-- >>> fdtool");
  assertStringIncludes(world.text("GEMINI.md"), "fdtool run -- make test");
  assert(world.text("GEMINI.md").length <= 1800, "it is in every request");
  world.write("GEMINI.md", `${world.text("GEMINI.md")}later\n`);
  assertEquals((await world.run(["uninstall", "gemini-cli", "--project"])).code, 0);
  assertEquals(world.text("GEMINI.md"), "# Mine\nlater\n");
  assertEquals(filesOf(world.dir), ["GEMINI.md"]);

  world.write("AGENTS.md", "<!-- <<< fdtool -->\n");
  for (const command of ["install", "uninstall"]) {
    const cut = await world.run([command, "any", "--project", "--format", "json"]);
    assertFailure(cut, "structure_invalid");
  }
  const nowhere = await world.run(["install", "any", "--format", "json"]);
  assertFailure(nowhere, "invalid_parameter", [2]);
});

Deno.test("install claude-code: one step of the two is not undone alone, unless it is forced", async () => {
  using world = makeWorld();
  const { text } = await world.run(["install", "claude-code", "--format", "json"]);
  const { files, next } = JSON.parse(text);
  assertEquals([files.length, next], [2, "fdtool uninstall claude-code"]);
  const half = await world.run(["undo", "tx:1", "--format", "json"]);
  assertEquals(assertFailure(half, "stale_file")["next"], "fdtool uninstall claude-code");
  assertEquals((await world.run(["uninstall", "claude-code"])).code, 0);
  assertEquals(filesOf(world.home).filter((each) => each.includes("claude")), []);
  // A script that was deleted is written by a newer step than the settings that name it.
  await world.run(["install", "claude-code"]);
  Deno.removeSync(`${world.home}/.claude/fdtool-shell`);
  await world.run(["install", "claude-code"]);
  const script = await world.run(["undo", "tx:7", "--format", "json"]);
  assertEquals(assertFailure(script, "stale_file")["next"], "fdtool uninstall claude-code");
  assertEquals((await world.run(["uninstall", "claude-code"])).code, 0);
  // The newer half may go first.
  await world.run(["install", "claude-code"]);
  assertEquals((await world.run(["undo", "tx:11"])).code, 0);
  assertEquals((await world.run(["undo", "tx:10"])).code, 0);
});

Deno.test("uninstall claude-code: the script stays while the settings that name it cannot be changed", async () => {
  for (const isInstalledAgain of [false, true]) {
    using world = makeWorld();
    const [script, settings] = ["fdtool-shell", "settings.json"].map((name) =>
      `${world.home}/.claude/${name}`
    );
    await install(world, ["claude-code"]);
    if (isInstalledAgain) {
      Deno.removeSync(script!);
      await install(world, ["claude-code"]);
    }
    Deno.chmodSync(settings!, 0o444);
    assertFailure(await world.run(["uninstall", "claude-code", "--format", "json"]), "permission_error");
    Deno.statSync(script!);
    Deno.chmodSync(settings!, 0o644);
    assertEquals((await world.run(["uninstall", "claude-code"])).code, 0);
    assertEquals(filesOf(world.home).filter((each) => each.includes("claude") && !each.endsWith("/")), []);
  }
});

Deno.test("uninstall claude-code: it is undone from the file that the other names, and redone the other way round", async () => {
  using world = makeWorld();
  await world.run(["install", "claude-code"]);
  const installed = filesOf(world.home).filter((each) => each.includes("claude"));
  const { text } = await world.run(["uninstall", "claude-code"]);
  assertEquals([...text.matchAll(/<next>(.*?)</g)].map(([, next]) => next), ["fdtool undo tx:4"]);
  const undo = (tx: string, ...more: string[]) => world.run(["undo", tx, ...more, "--format", "json"]);
  assertEquals(assertFailure(await undo("tx:3"), "stale_file")["next"], "fdtool undo tx:4");
  assertEquals((await undo("tx:4")).code, 0);
  assertEquals((await undo("tx:3")).code, 0);
  assertEquals(filesOf(world.home).filter((each) => each.includes("claude")), installed);
  assertEquals(assertFailure(await undo("tx:5"), "stale_file")["next"], "fdtool undo tx:6");
  assertEquals((await undo("tx:6")).code, 0);
  assertEquals((await undo("tx:5")).code, 0);
  assertEquals(filesOf(world.home).filter((each) => each.includes("claude")), []);
});

Deno.test("install claude-code: another program's shell prefix stays, and its price is said", async () => {
  using world = makeWorld();
  const settings = "../home/.claude/settings.json";
  const before = '{"env":{"CLAUDE_CODE_SHELL_PREFIX":"/opt/mine"}}';
  world.write(settings, before);
  const message = String((await install(world, ["claude-code"]))["message"]);
  assertStringIncludes(message, 'CLAUDE_CODE_SHELL_PREFIX is "/opt/mine", which stays');
  assertEquals(filesOf(world.home).some((each) => each.includes("fdtool-shell")), false);
  const { text } = await world.run(["doctor", "claude-code", "--format", "json"]);
  assertStringIncludes(text, "/opt/mine");
  await uninstall(world, ["claude-code"]);
  assertEquals(world.text(settings), before);
});

Deno.test("uninstall codex: a writable root that was there before stays, though Codex rewrote the file", async () => {
  using world = makeWorld();
  const path = ".codex/config.toml";
  const words = ["codex", "--project", "--store", "/some/store"];
  for (const roots of ['["/some/store"]', '["/a", "/some/store"]']) {
    const before = `[sandbox_workspace_write]\nwritable_roots = ${roots}\n`;
    world.write(path, before);
    await install(world, words);
    world.write(path, `${world.text(path)}[later]\n`);
    await uninstall(world, words);
    assertEquals(world.text(path), `${before}[later]\n`);
  }
});

Deno.test("install codex: the store becomes a writable root of its sandbox, once", async () => {
  using world = makeWorld();
  const path = ".codex/config.toml";
  const before = '[sandbox_workspace_write]\nwritable_roots = [\n  "/b", # mine\n]\n';
  world.write(path, before);
  await install(world, ["codex", "--project", "--store", "/some/store"]);
  assertStringIncludes(world.text(path), 'writable_roots = [\n  "/some/store",\n  "/b", # mine\n]\n');
  world.write(path, `${world.text(path)}[later]\n`);
  await uninstall(world, ["codex", "--project", "--store", "/some/store"]);
  assertEquals(world.text(path), `${before}[later]\n`);
  world.write(path, "sandbox_workspace_write = { network_access = true }\n");
  await install(world, ["codex", "--project", "--store", "/some/store"]);
  const inline = 'sandbox_workspace_write = { writable_roots = ["/some/store"], network_access = true }\n';
  assert(world.text(path).startsWith(inline), world.text(path));
});
