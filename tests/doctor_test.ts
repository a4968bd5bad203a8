/**
 * doctor: one line a finding with its mend; the mend, run, makes the problem go.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { interrupt } from "./interrupted_write.ts";
import { makeWorld, type World } from "./world.ts";

interface Finding {
  about: string;
  state: string;
  what: string;
  mend?: string;
}

async function doctor(
  world: World,
  words: readonly string[] = [],
  env: Record<string, string | undefined> = {},
): Promise<{ code: number; problems: number; findings: Finding[] }> {
  const { code, text } = await world.run(["doctor", ...words, "--format", "json"], { env });
  const answer = JSON.parse(text);
  assertEquals(answer.type, "doctor_report");
  const findings: Finding[] = answer.finding;
  for (const { what, mend, state } of findings) {
    assert(!`${what}${mend ?? ""}`.includes("\n"));
    assert(state !== "problem" || mend !== undefined, what);
  }
  assertEquals([code, answer.ok], answer.problems === 0 ? [0, true] : [1, false]);
  return { code, problems: answer.problems, findings };
}

function problemsOf(findings: readonly Finding[], about: string): Finding[] {
  return findings.filter((finding) => finding.about === about && finding.state === "problem");
}

/** A harness's program that only tells a version. */
function fakeProgram(world: World, name: string, version: string): Record<string, string> {
  world.write(`bin/${name}`, `#!/bin/sh\necho '${version}'\n`);
  Deno.chmodSync(world.path(`bin/${name}`), 0o755);
  return { PATH: `${world.path("bin")}:${world.env["PATH"]}` };
}

Deno.test("doctor: an empty installation has no problem; a store that cannot be written is one", async () => {
  using world = makeWorld();
  const fresh = await doctor(world);
  assertEquals([fresh.problems, fresh.findings.every(({ about }) => about === "fdtool")], [0, true]);
  assertEquals([...Deno.readDirSync(world.dir)], [], "doctor leaves nothing behind");
  world.write("blocked", "a file");
  const blocked = await doctor(world, [], { FDTOOL_STORE: world.path("blocked/store") });
  assertStringIncludes(problemsOf(blocked.findings, "fdtool")[0]!.what, "ENOTDIR");
  const limit = await doctor(world, [], { FDTOOL_QUOTA: "lots" });
  assertStringIncludes(problemsOf(limit.findings, "fdtool")[0]!.what, 'FDTOOL_QUOTA is "lots"');
  assertStringIncludes(limit.findings[0]!.mend!, "unset FDTOOL_QUOTA");
});

Deno.test("doctor: problems come first, and sizes and limits are written as people read them", async () => {
  using world = makeWorld();
  await world.shell("seq 1 3000 | fdtool capture --always; fdtool create new.txt");
  world.write(".codex/config.toml", "a = = 1\n");
  const { findings } = await doctor(world, [], { FDTOOL_QUOTA: "8K", PATH: "/usr/bin:/bin" });
  const states = findings.map(({ state }) => state);
  assertEquals(states, [...states].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)));
  const what = findings.map((finding) => finding.what).join("\n");
  assertStringIncludes(what, "1 fd (13.6 KiB), more than its quota of 8.0 KiB");
  assertStringIncludes(
    what,
    "limits: 4.0 GiB an fd (FDTOOL_MAX_BYTES), 8.0 KiB in all (FDTOOL_QUOTA), 30 days",
  );
  assertEquals(findings.find(({ about }) => about === "writes")?.what, "waiting for an answer: inq:1");
  const homeless = await doctor(world, [], { FDTOOL_STORE: undefined, HOME: undefined, TMPDIR: world.dir });
  assert(
    homeless.findings.some((each) => each.what.startsWith(`HOME is not set, so the store is ${world.dir}`)),
  );
});

const ORDER = ["problem", "note", "ok"];

Deno.test("doctor: an interrupted write is a problem, and recover mends it", async () => {
  using world = makeWorld();
  world.write("a.txt", "old\n");
  await world.run(["edit", "a.txt", "--old", "old", "--new", "new"]);
  interrupt(world, 1);
  const [problem] = problemsOf((await doctor(world)).findings, "writes");
  assertStringIncludes(problem!.what, "tx:1");
  assertEquals((await world.shell(problem!.mend!)).code, 0);
  assertEquals((await doctor(world)).problems, 0);
});

Deno.test("doctor: a store that cannot be made, and another user's, are problems that a directory of one's own mends", async () => {
  using world = makeWorld();
  world.write("theirs/x", "");
  const stores = Deno.build.os === "linux" ? ["/proc/none/store"] : [];
  if (Deno.uid() === 0) {
    await Deno.chown(world.path("theirs"), 65534, 65534);
    stores.push(world.path("theirs"));
  }
  for (const store of stores) {
    const { findings } = await doctor(world, [], { FDTOOL_STORE: store });
    const [problem] = problemsOf(findings, "fdtool");
    assertStringIncludes(problem!.what, `the store ${store} `);
    assertStringIncludes(problem!.mend!, "FDTOOL_STORE");
    assertEquals((await doctor(world, [], { FDTOOL_STORE: world.path("mine") })).problems, 0);
  }
});

Deno.test("doctor: a directory of another format version is a problem", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: "text\n" });
  Deno.mkdirSync(`${world.store}/v9`);
  const [found] = problemsOf((await doctor(world)).findings, "fdtool");
  assertStringIncludes(found?.what ?? "", `${world.store} also has v9`);
});

Deno.test("ls: an empty store names its directory and how it is filled", async () => {
  using world = makeWorld();
  for (const format of ["xml", "json", "text"]) {
    const { text } = await world.run(["ls", "--format", format]);
    assertStringIncludes(text, `The store ${world.store} is empty.`);
    assertStringIncludes(text, "fdtool run -- COMMAND");
  }
  await world.shell("fdtool run --always -- echo kept");
  assert(!(await world.run(["ls"])).text.includes("is empty"));
});

Deno.test("doctor: lists each installed harness and its place, without a problem", async () => {
  using world = makeWorld();
  for (const name of ["claude-code", "gemini-cli", "codex", "opencode", "qwen-code", "pi", "copilot-cli"]) {
    await world.run(["install", name]);
    await world.run(["install", name, "--project", "--via", "memory"]);
    const { problems, findings } = await doctor(world, [name]);
    const paths = findings.filter(({ what }) => what.startsWith("installed")).map(({ what }) => what);
    // Claude Code's shell is a file of its own, and for the user of these two the paragraph is written by default.
    const isThree = ["claude-code", "gemini-cli", "codex"].includes(name);
    assertEquals([problems, paths.length], [0, isThree ? 3 : 2], name);
    assertStringIncludes(paths[0]!, world.home);
    assertStringIncludes(paths.at(-1)!, "(memory) in ");
  }
  const before = world.text("AGENTS.md");
  await doctor(world);
  assertEquals(world.text("AGENTS.md"), before);
  const asked = await doctor(makeWorld(), ["qwen-code"]);
  assert(asked.findings.some(({ mend }) => mend === "fdtool install qwen-code"));
});

Deno.test("doctor: a shell of Claude Code's commands that is missing or cannot be executed is a problem", async () => {
  using world = makeWorld();
  await world.run(["install", "claude-code"]);
  const path = `${world.home}/.claude/fdtool-shell`;
  for (const spoil of [() => Deno.chmodSync(path, 0o644), () => Deno.removeSync(path)]) {
    spoil();
    const found = (await doctor(world, ["claude-code"])).findings[0]!;
    assertStringIncludes(found.what, `no command runs: ${path}`);
    assertEquals((await world.shell(found.mend!)).code, 0);
    assertEquals((await doctor(world, ["claude-code"])).problems, 0);
  }
});

Deno.test("doctor: a script of a harness's commands that no setting names is noted, not called installed", async () => {
  for (
    const [words, settings, script] of [
      [["claude-code"], ".claude/settings.json", ".claude/fdtool-shell"],
      [["opencode", "--via", "shell"], ".config/opencode/opencode.json", ".config/opencode/fdtool/bash"],
    ] as const
  ) {
    using world = makeWorld();
    const harness = words[0];
    await world.run(["install", ...words]);
    world.write(`../home/${settings}`, "{}");
    const { problems, findings } = await doctor(world, [harness]);
    const noted = findings.find(({ what }) => what.includes(script))!;
    assertEquals([problems, noted.state], [0, "note"]);
    assertStringIncludes(noted.what, `no command goes through ${world.home}/${script}`);
    for (const command of noted.mend!.split(", or ")) {
      assertEquals((await world.shell(command)).code, 0, command);
      const { findings: later } = await doctor(world, [harness]);
      assertEquals(later.filter(({ what }) => what.startsWith("no command")), [], command);
    }
  }
});

Deno.test("doctor: a sandbox of Claude Code in which the store cannot be written is noted", async () => {
  using world = makeWorld();
  await world.run(["install", "claude-code", "--project"]);
  for (const [allowWrite, isNoted] of [[["~/x"], true], [["~/.local"], false], [["/"], false]] as const) {
    world.write(
      ".claude/settings.local.json",
      JSON.stringify({ sandbox: { enabled: true, filesystem: { allowWrite } } }),
    );
    const env = { FDTOOL_STORE: `${world.home}/.local/state/fdtool` };
    const { text } = await world.run(["doctor", "claude-code"], { env });
    assertEquals(text.includes("to sandbox.filesystem.allowWrite in "), isNoted, String(allowWrite));
  }
});

Deno.test("doctor: the suggested fix solves the problem", async () => {
  for (
    const [harness, path, content, words] of [
      [
        "claude-code",
        ".claude/settings.json",
        '{"hooks":{"PostToolUseFailure":[{"matcher":"Bash","hooks":[{"type":"command","command":"fdtool hook claude-code || true"}]}]}}',
        "as this version",
      ],
      [
        "gemini-cli",
        ".gemini/settings.json",
        '{"mcpServers":{"fdtool":{"command":"/old/fdtool","args":["mcp"]}}}',
        "another",
      ],
      [
        "opencode",
        ".opencode/plugins/fdtool.js",
        "// Written by `fdtool install opencode`\nexport const P = async () => ({ 'tool.execute.before': () => {} });\n",
        "another version",
      ],
      [
        "codex",
        ".codex/config.toml",
        '[mcp_servers.fdtool]\ncommand = "fdtool"\nargs = ["mcp"]\n',
        "as this version",
      ],
    ] as const
  ) {
    using world = makeWorld();
    world.write(path, content);
    const { findings } = await doctor(world, [harness]);
    const [problem] = problemsOf(findings, harness);
    assertStringIncludes(problem?.what ?? "", words);
    const { code, stderr } = await world.shell(problem!.mend!);
    assertEquals(code, 0, stderr);
    assertEquals((await doctor(world, [harness])).problems, 0, harness);
  }
});

Deno.test("doctor: unreadable and foreign settings are reported with file and line", async () => {
  using world = makeWorld();
  world.write(".gemini/settings.json", '{\n  "mcpServers": {\n');
  world.write(".codex/config.toml", "a = 1\nb = = 2\n");
  world.write("AGENTS.md", "<!-- <<< fdtool -->\n");
  world.write("opencode.json", '{"mcp": {\n');
  const { findings } = await doctor(world);
  const broken = problemsOf(findings, "opencode").map(({ what }) => what);
  assertEquals(broken, [...new Set(broken)], "said once, not for each way to install");
  assertStringIncludes(problemsOf(findings, "gemini-cli")[0]!.what, ".gemini/settings.json");
  assertStringIncludes(problemsOf(findings, "codex")[0]!.what, "line 2");
  assertStringIncludes(problemsOf(findings, "any")[0]!.what, "AGENTS.md");
});

Deno.test("doctor: hooks and servers that the user turned off are problems, by setting and file", async () => {
  using world = makeWorld();
  const offFor = async (harness: string) =>
    problemsOf((await doctor(world, [harness])).findings, harness).map(({ what, mend }) =>
      `${what}; ${mend}`
    );
  const written = (path: string, from: string, to: string) =>
    world.write(path, world.text(path).replace(from, to));

  await world.run(["install", "claude-code", "--project"]);
  assertEquals(await offFor("claude-code"), []);
  world.write(".claude/settings.local.json", '{ "disableAllHooks": true }');
  const [hooks = ""] = await offFor("claude-code");
  assert(hooks.includes("no hook runs") && hooks.includes(".claude/settings.local.json"), hooks);
  await world.run(["uninstall", "claude-code", "--project"]);
  await world.run(["install", "claude-code", "--project", "--via", "mcp"]);
  world.write(".claude/settings.local.json", '{ "disabledMcpjsonServers": ["fdtool"] }');
  assertStringIncludes((await offFor("claude-code"))[0] ?? "", "disabledMcpjsonServers");

  await world.run(["install", "gemini-cli", "--project"]);
  written(".gemini/settings.json", '"command"', '"enabled": false, "timeout": 9000, "command"');
  assertEquals((await offFor("gemini-cli")).map((each) => /turned off/.test(each)), [true]);
  written(".gemini/settings.json", '"enabled": false, ', "");
  assertEquals(await offFor("gemini-cli"), [], "what the user added is the user's");
  for (const mcp of ['{ "excluded": ["fdtool"] }', '{ "allowed": ["other"] }']) {
    const before = world.text(".gemini/settings.json");
    world.write(".gemini/settings.json", before.replace("{", `{ "mcp": ${mcp},`));
    assertEquals((await offFor("gemini-cli")).length, 1, mcp);
    world.write(".gemini/settings.json", before);
  }
  Deno.mkdirSync(`${world.home}/.gemini`);
  Deno.writeTextFileSync(`${world.home}/.gemini/mcp-server-enablement.json`, '{"fdtool":{"enabled":false}}');
  assertStringIncludes((await offFor("gemini-cli"))[0] ?? "", "gemini mcp enable fdtool");

  await world.run(["install", "codex", "--project"]);
  written(".codex/config.toml", "args = [", "enabled = false\nargs = [");
  assertEquals((await offFor("codex")).map((each) => /turned off/.test(each)), [true]);
  await world.run(["install", "qwen-code", "--project"]);
  written(".qwen/settings.json", "{", '{ "disableAllHooks": true,');
  assertStringIncludes((await offFor("qwen-code"))[0] ?? "", "disableAllHooks");
  await world.run(["install", "opencode", "--project", "--via", "mcp"]);
  written("opencode.json", '"enabled": true', '"enabled": false');
  assertEquals((await offFor("opencode")).map((each) => /turned off/.test(each)), [true]);
});

Deno.test("doctor codex: valid TOML of any form is not called invalid", async () => {
  using world = makeWorld();
  const server = '{ command = "fdtool", args = ["mcp"] }';
  const roots = `writable_roots = ["${world.store}"]`;
  for (
    const text of [
      `mcp_servers = { fdtool = ${server} }\nsandbox_workspace_write = { ${roots}, network_access = true }\n`,
      `mcp_servers.fdtool = ${server}\nsandbox_workspace_write.network_access = true\nsandbox_workspace_write.${roots}\n`,
    ]
  ) {
    world.write(".codex/config.toml", text);
    assertEquals(problemsOf((await doctor(world, ["codex"])).findings, "codex"), [], text);
  }
  world.write(
    ".codex/config.toml",
    `mcp_servers.fdtool = ${server}\n"sandbox_workspace_write" = { network_access = true }\n`,
  );
  const [{ what } = { what: "" }] = problemsOf((await doctor(world, ["codex"])).findings, "codex");
  assert(!what.includes("not valid") && !what.includes("another version"), what);
  assertStringIncludes(what, "line 2");
  assertStringIncludes(what, `add "${world.store}" to sandbox_workspace_write.writable_roots`);
});

Deno.test("doctor codex: a read-only sandbox, and a store outside of the writable roots", async () => {
  using world = makeWorld();
  const config = world.path("config");
  const env = { CODEX_HOME: config };
  await world.run(["install", "codex"], { env });
  const installed = world.text("config/config.toml");
  world.write("config/config.toml", "a = = 1\n");
  assertEquals(problemsOf((await doctor(world, ["codex"], env)).findings, "codex").length, 1);
  world.write("config/config.toml", `sandbox_mode = "read-only"\n${installed}`);
  const readOnly = await doctor(world, ["codex"], env);
  assertStringIncludes(problemsOf(readOnly.findings, "codex")[0]!.what, '"read-only"');
  const other = { ...env, FDTOOL_STORE: world.path("other") };
  world.write("config/config.toml", world.text("config/config.toml").replace("read-only", "workspace-write"));
  const moved = await doctor(world, ["codex"], other);
  const problems = problemsOf(moved.findings, "codex");
  assert(
    problems.some(({ what }) => what.includes("not among the writable roots")),
    JSON.stringify(problems),
  );
  await world.shell("fdtool install codex", { env: other });
  assertEquals((await doctor(world, ["codex"], other)).problems, 0);
});

Deno.test("doctor copilot: its version and the setting that turns hooks off; the program's name is one of the harness", async () => {
  using world = makeWorld();
  await world.run(["install", "copilot", "--project"]);
  const program = fakeProgram(world, "copilot", "GitHub Copilot CLI 1.0.102.");
  const { findings } = await doctor(world, ["copilot"], program);
  assert(findings.some(({ what, state }) => state === "ok" && what === "GitHub Copilot CLI 1.0.102"));
  world.write(".github/copilot/settings.json", '{ "disableAllHooks": true }');
  const [off] = problemsOf((await doctor(world, ["copilot-cli"])).findings, "copilot-cli");
  assertStringIncludes(off?.what ?? "", "disableAllHooks");
});

Deno.test("doctor: versions of harnesses: the one that was run, another, and OpenCode 2", async () => {
  using world = makeWorld();
  await world.run(["install", "opencode"]);
  const versions = async (words: string) =>
    (await doctor(world, ["opencode"], fakeProgram(world, "opencode", words))).findings.filter(({ what }) =>
      what.includes("OpenCode")
    );
  assertEquals((await versions("1.18.33")).map(({ state }) => state), ["ok"]);
  assertEquals((await versions("1.99.0")).map(({ state }) => state), ["note"]);
  const [problem] = await versions("opencode 2.0.1");
  assertStringIncludes(problem!.what, "does not load plugins");
  assertStringIncludes(problem!.mend!, "--via mcp");
});
