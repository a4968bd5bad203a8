/**
 * Promise: `fdtool ui` answers only who has its address, shows any fd in bounded pieces and as text, changes nothing
 * unless it was started with --allow-undo, and ends with its terminal.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { startUi, type UiServer } from "./ui_server.ts";
import { makeWorld, type World } from "./world.ts";

/** The status and headers of a request that is sent as it is, since `fetch` would correct it. */
async function raw({ port }: UiServer, head: string): Promise<{ status: number; headers: string }> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.write(head.replaceAll("\n", "\r\n") + "\r\nConnection: close\r\n\r\n");
  for await (const chunk of socket) answer += chunk;
  const headers = answer.slice(0, answer.indexOf("\r\n\r\n"));
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(headers)?.[1]), headers };
}

async function edited(world: World): Promise<void> {
  world.write("a.txt", "one\ntwo\n");
  const { code } = await world.run(["edit", "a.txt", "--old", "two", "--new", "three", "--yes"]);
  assertEquals(code, 0);
}

Deno.test("ui: every answer has headers that keep content from acting, also a refusal", async () => {
  using world = makeWorld();
  await using ui = await startUi(world);
  for (const url of [ui.url, `${ui.url}api/start`, `${ui.url}page.css`, `http://127.0.0.1:${ui.port}/`]) {
    const { headers, body } = await fetch(url);
    await body?.cancel();
    const policy = headers.get("content-security-policy") ?? "";
    assertMatch(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assertStringIncludes(policy, "frame-ancestors 'none'");
    assertStringIncludes(policy, "require-trusted-types-for 'script'");
    assertEquals([
      headers.get("x-content-type-options"),
      headers.get("referrer-policy"),
      headers.get("cross-origin-opener-policy"),
      headers.get("cross-origin-embedder-policy"),
      headers.get("cross-origin-resource-policy"),
      headers.get("cache-control"),
      headers.get("access-control-allow-origin"),
    ], ["nosniff", "no-referrer", "same-origin", "require-corp", "same-origin", "no-store", null]);
  }
});

Deno.test("ui: nothing is answered without the token, under another name, or to another site", async () => {
  using world = makeWorld();
  await using ui = await startUi(world);
  const host = `Host: 127.0.0.1:${ui.port}`;
  const path = `/${ui.token}/api/start`;
  const cases: [head: string, status: number][] = [
    [`GET ${path} HTTP/1.1\n${host}`, 200],
    [`GET ${path} HTTP/1.1\nHost: localhost:${ui.port}`, 200],
    [`GET / HTTP/1.1\n${host}`, 403],
    [`GET /api/start HTTP/1.1\n${host}`, 403],
    [`GET /${ui.token.slice(0, -1)}/api/start HTTP/1.1\n${host}`, 403],
    [`GET /${ui.token}x/api/start HTTP/1.1\n${host}`, 403],
    [`GET ${path} HTTP/1.1\nHost: evil.example:${ui.port}`, 421],
    [`GET ${path} HTTP/1.1\nHost: 127.0.0.1`, 421],
    [`GET ${path} HTTP/1.1\n${host}\nOrigin: http://evil.example`, 403],
    [`GET ${path} HTTP/1.1\n${host}\nSec-Fetch-Site: cross-site`, 403],
    [`GET ${path} HTTP/1.1\n${host}\nSec-Fetch-Site: same-site`, 403],
    [`DELETE ${path} HTTP/1.1\n${host}`, 405],
    [`OPTIONS ${path} HTTP/1.1\n${host}\nOrigin: http://evil.example`, 403],
    [`POST ${path} HTTP/1.1\n${host}\nContent-Length: 0\nX-Fdtool-Token: ${ui.token}`, 405],
    [`GET ${path}?${"a".repeat(17_000)} HTTP/1.1\n${host}`, 414],
  ];
  for (const [head, status] of cases) {
    const answer = await raw(ui, head);
    // A runtime may refuse a long head by itself.
    const isRefused = status === 414 && answer.status === 431;
    assert(isRefused || answer.status === status, `${head}: ${answer.headers}`);
  }
});

Deno.test("ui: an address leads to the page's files and to nothing else", async () => {
  using world = makeWorld();
  world.write("secret.txt", "secret");
  await using ui = await startUi(world);
  for (
    const path of [
      "../main.ts",
      "..%2f..%2fsecret.txt",
      "/etc/passwd",
      "secret.txt",
      "page.css/",
      "__proto__",
    ]
  ) {
    const { status } = await raw(ui, `GET /${ui.token}/${path} HTTP/1.1\nHost: 127.0.0.1:${ui.port}`);
    assertEquals(status, 404, path);
  }
  const bare = await fetch(ui.url.slice(0, -1), { redirect: "manual" });
  assertEquals([bare.status, bare.headers.get("location")], [308, `/${ui.token}/`]);
  await bare.body?.cancel();
  const page = await (await fetch(ui.url)).text();
  const named = [...page.matchAll(/(?:src|href)="([a-z_]+\.[a-z]+)"/g)].map(([, name]) => name!);
  assert(named.length >= 3);
  for (const name of named) {
    assertEquals((await fetch(ui.url + name).then((it) => it.text())).length > 50, true);
  }
  assertEquals(/https?:\/\//.test(page), false, "nothing comes from outside");
});

Deno.test("ui: lines come by their numbers, bounded, and as a terminal would have left them", async () => {
  using world = makeWorld();
  const lines = Array.from({ length: 100_000 }, (_, at) => `line ${at + 1}`);
  lines[9] = "\x1b[31mred\x1b[0m <b>bold</b> \x07";
  lines[10] = `x${"é".repeat(40_000)}`;
  await world.run(["capture", "--always"], { stdin: lines.join("\n") });
  await using ui = await startUi(world);
  const { lines: some, total_lines } = await ui.ask("lines?fd=fd:1&from=9&count=3&pattern=BOLD");
  assertEquals(total_lines, 100_000);
  assertEquals(some.slice(0, 2), [{ t: "line 9" }, { t: "red <b>bold</b> \\x07", m: [[7, 11]] }]);
  assertEquals([some[2].t.length, some[2].cut], [2000, true]);
  const last = await ui.ask("lines?fd=1&from=99999&count=500");
  assertEquals(last.lines, [{ t: "line 99999" }, { t: "line 100000" }]);
  assertEquals((await ui.ask("lines?fd=1&from=100001")).lines, []);
  const long = await ui.ask("long?fd=1&line=11&row=199&count=5");
  assertEquals([long.chars, long.totalRows, long.rows], [40_001, 201, ["é".repeat(200), "é"]]);
  for (const query of ["from=0", "from=-1", "from=1.5", "count=501", "count=", "from=99999999999999999999"]) {
    const { status, body } = await fetch(`${ui.url}api/lines?fd=1&${query}`);
    await body?.cancel();
    assertEquals(status, 400, query);
  }
  const missing = await fetch(`${ui.url}api/lines?fd=fd:99`);
  assertEquals([missing.status, (await missing.json()).error], [404, "not_found"]);
});

Deno.test("ui: a search reports the places of all matches, and leads from one to the next", async () => {
  using world = makeWorld();
  const text = Array.from({ length: 300_000 }, (_, at) => at % 1000 === 500 ? "needle Ω" : `hay ${at}`).join(
    "\n",
  );
  await world.run(["capture", "--always"], { stdin: text });
  await using ui = await startUi(world);
  const answer = await fetch(`${ui.url}api/search?fd=1&pattern=NEEDLE%20%CF%89`);
  const news = (await answer.text()).trim().split("\n").map((line) => JSON.parse(line));
  const end = news.at(-1);
  assertEquals([end.type, end.found, end.listed], ["end", 300, 300]);
  const marks: number[] = news.flatMap(({ marks }) => marks);
  assertEquals(marks.length, 300);
  assert(marks.every((line) => line % 1000 === 501));
  const match = (line: number, way: string) => ui.ask(`match?search=${end.search}&line=${line}&way=${way}`);
  assertEquals(await match(0, "next"), { found: 300, number: 1, line: 501 });
  assertEquals(await match(501, "next"), { found: 300, number: 2, line: 1501 });
  assertEquals(await match(1501, "previous"), { found: 300, number: 1, line: 501 });
  assertEquals(await match(501, "previous"), { found: 300, number: 300, line: 299_501 });
  assertEquals(await match(299_501, "next"), { found: 300, number: 1, line: 501 });
  const invalid = await fetch(`${ui.url}api/search?fd=1&pattern=(`);
  assertEquals([invalid.status, (await invalid.json()).error], [409, "invalid_parameter"]);
});

Deno.test("ui: the findings of an fd are one of a kind, and all of them are marked", async () => {
  using world = makeWorld();
  const hay = (count: number) => Array.from({ length: count }, (_, at) => `compiled part ${at}`);
  const error = (file: number) => `src/part${file}.c:12:3: error: expected a semicolon`;
  const lines = [...hay(100), error(1), ...hay(50), error(2), error(3), ...hay(100), "fatal: disk full"];
  world.write("log", lines.join("\n"));
  await world.run(["run", "--always", "--", "sh", "-c", "cat log; exit 2"]);
  await using ui = await startUi(world);
  const { decisive, findings, lines: marked } = await ui.ask("findings?fd=fd:1");
  assertEquals(findings.map(({ line }: { line: number }) => line), [101, 254]);
  assertEquals(marked.toSorted((one: number, other: number) => one - other), [101, 152, 153, 254]);
  assert(marked.includes(decisive));
});

Deno.test("ui: findings after an earlier run are those that the sentence counts", async () => {
  using world = makeWorld();
  const error = (file: number) => `src/part${file}.c:12:3: error: expected a semicolon\n`;
  const run = async (...files: number[]) => {
    world.write("log", `start\n${files.map(error).join("")}end\n`);
    await world.run(["run", "--always", "--", "sh", "-c", "cat log; exit 2"]);
  };
  await run(1, 2);
  await run(2, 3, 4, 5);
  await using ui = await startUi(world);
  const { findings, findingCount, change } = await ui.ask("findings?fd=fd:2");
  assertStringIncludes(change.sentence, "1 of 2 findings gone, 3 new, 1 left");
  const listed = findings.map(({ line, isNew }: { line: number; isNew?: true }) => [line, isNew]);
  assertEquals(listed, [[2, undefined], [3, true], [4, true], [5, true]]);
  assertEquals(findingCount, 4);
});

Deno.test("ui: findings are the text that was printed, in any script", async () => {
  using world = makeWorld();
  const lines = [
    "src/é.c:1:2: error: ‘größe’ undeclared (first use in this function)",
    "src/имя.c:2:2: error: неизвестный тип ‘строка’",
    "src/ファイル.c:3:2: error: ‘値’は宣言されていません",
    "src/קובץ.c:4:2: fatal error: symbol הסמל ‘שם’ אינו מוגדר",
    "src/ملف.c:5:2: error: undefined reference to الرمز ‘قيمة’ غير معرف",
    "src/δοκιμή.c:6:2: error: άγνωστο σύμβολο 🚨👩‍💻",
  ];
  const illFormed = Uint8Array.of(...new TextEncoder().encode("src/x.c:7:2: error: "), 0xe9, 0xff, 10);
  world.write("log", new Uint8Array([...new TextEncoder().encode(`${lines.join("\n")}\n`), ...illFormed]));
  assertEquals((await world.run(["run", "--always", "--", "cat", "log"])).code, 0);
  await using ui = await startUi(world);
  const { findings } = await ui.ask("findings?fd=fd:1");
  const expected = [...lines, "src/x.c:7:2: error: ��"];
  assertEquals(findings.map(({ text }: { text: string }) => text), expected);
});

Deno.test("ui: content in UTF-16 is shown, searched and compared as its text, and downloaded as it is", async () => {
  using world = makeWorld();
  const log = (name: string) => `10:00:0${name.length} start\nsrc/é.c:1:2: error: ‘${name}’ 🚨\nend`;
  const stored: Uint8Array[] = [];
  for (const name of ["größe", "höhe"]) {
    const units = `\uFEFF${log(name)}`.split("").map((unit) => unit.charCodeAt(0));
    stored.push(new Uint8Array(Uint16Array.from(units).buffer));
    world.write("log", stored.at(-1)!);
    await world.run(["run", "--always", "--", "sh", "-c", "cat log; exit 1"]);
  }
  const [, line, end] = log("höhe").split("\n");
  await using ui = await startUi(world);
  const texts = ({ lines }: { lines: { t: string }[] }) => lines.map(({ t }) => t);
  assertEquals(texts(await ui.ask("lines?fd=fd:2&from=2")), [line, end]);
  const { total_lines, facts } = await ui.ask("fd?fd=fd:2");
  assertEquals([total_lines, facts.split(" · took")[0]], [3, `3 lines · ${stored[1]!.length} B`]);
  const { findings, decisive } = await ui.ask("findings?fd=fd:2");
  assertEquals([findings, decisive], [[{ line: 2, text: line, isNew: true }], 2]);
  assertEquals((await ui.ask("long?fd=fd:2&line=2")).rows, [line]);
  assertEquals((await ui.ask("time?fd=fd:2&at=10:00:04")).line, 1);
  const { rows } = await ui.ask("diff?old=fd:1&new=fd:2");
  assertEquals(rows.map(([sign, text]: [string, string]) => sign + text).slice(-2), [`+${line}`, ` ${end}`]);
  const streamed = (await (await fetch(`${ui.url}api/search?fd=fd:2&pattern=h.he&case=1`)).text()).trim();
  const news = streamed.split("\n").map((line) => JSON.parse(line));
  const { search, found } = news.at(-1);
  assertEquals([found, news.flatMap(({ marks }) => marks)], [1, [2]]);
  assertEquals((await ui.ask(`match?search=${search}&line=0`)).line, 2);
  assertEquals(texts(await ui.ask(`matching?search=${search}&from=1&count=9`)), [line]);
  const content = async (range: string) =>
    new Uint8Array(await (await fetch(`${ui.url}api/content?fd=fd:2${range}`)).arrayBuffer());
  assertEquals(await content(""), stored[1]);
  assertEquals(await content("&from=2&to=2"), new TextEncoder().encode(`${line}\n`));
});

Deno.test("ui: two fds are compared, and nothing is stored by looking", async () => {
  using world = makeWorld();
  await world.run(["run", "--always", "--", "printf", "a\\nb\\nc\\n"]);
  await world.run(["run", "--always", "--", "sh", "-c", "printf 'a\\nB\\nc\\n'; exit 7"]);
  await using ui = await startUi(world);
  const { rows, added, removed } = await ui.ask("diff?old=1&new=2");
  assertEquals([added, removed], [1, 1]);
  assertEquals(rows, [["@", 1, 1], [" ", "a"], ["-", "b"], ["+", "B"], [" ", "c"]]);
  const { fds, more } = await ui.ask("fds?show=all");
  assertEquals([more, fds.map(({ fd, exit }: { fd: string; exit: number }) => [fd, exit])], [false, [
    ["fd:2", 7],
    ["fd:1", 0],
  ]]);
  assertEquals((await ui.ask("fds?show=failed")).fds.length, 1);
  assertEquals((await ui.ask("fds?q=exit%207")).fds.map(({ fd }: { fd: string }) => fd), ["fd:2"]);
});

Deno.test("ui: runs of one command in one directory are one row with its history", async () => {
  using world = makeWorld();
  const run = async (code: number) => {
    world.write("code", String(code));
    await world.run(["run", "--always", "--", "sh", "-c", "cat code; exit $(cat code)"]);
  };
  await run(0);
  await world.run(["run", "--always", "--", "echo", "other"]);
  await run(1);
  await run(2);
  await using ui = await startUi(world);
  const rows = async (show: string) => (await ui.ask(`fds?show=${show}`)).fds;
  const [row, other, ...more] = await rows("runs");
  assertEquals([row.fd, row.title, other.fd, more.length], ["fd:4", "cat code; exit $(cat code)", "fd:2", 0]);
  const { runs, before, failing } = row.history;
  assertEquals(runs.map(({ fd, exit }: { fd: string; exit: number }) => [fd, exit]), [
    ["fd:4", 2],
    ["fd:3", 1],
    ["fd:1", 0],
  ]);
  assertEquals([before, failing], ["fd:3", { since: runs[1].created, runs: 2 }]);
  assertEquals((await ui.ask("history?fd=fd:3")).before, "fd:1");
  assertEquals((await rows("failing")).map(({ fd }: { fd: string }) => fd), ["fd:4"]);
  await run(0);
  assertEquals(await rows("failing"), [], "it passes now");
  assertEquals((await rows("failed")).map(({ fd }: { fd: string }) => fd), ["fd:4"]);
  assertEquals((await rows("all")).length, 5);
  assertEquals((await ui.ask("fds?limit=1")).more, true);
});

Deno.test("ui: chosen lines are downloaded exactly", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: "one\n\x1b[31mtwo\x1b[0m\nthree\nfour" });
  await using ui = await startUi(world);
  const content = async (range: string) => {
    const answer = await fetch(`${ui.url}api/content?fd=fd:1${range}`);
    return [answer.status, (await answer.text()).slice(0, 99)];
  };
  assertEquals(await content("&from=2&to=3"), [200, "\x1b[31mtwo\x1b[0m\nthree\n"]);
  assertEquals(await content("&from=4&to=4"), [200, "four"]);
  for (const range of ["&from=3&to=2", "&from=0", "&to=5"]) {
    assertEquals((await content(range))[0], 400, range);
  }
});

Deno.test("ui: a write is shown as a diff, and undone only with --allow-undo and the token in a header", async () => {
  using world = makeWorld();
  await edited(world);
  const undo = (ui: UiServer, query: string, token = ui.token) =>
    fetch(`${ui.url}api/undo?${query}`, { method: "POST", headers: { "x-fdtool-token": token } });
  {
    await using ui = await startUi(world);
    const { step, files } = await ui.ask("step?tx=tx:1");
    assertEquals([step.state, files[0].path], ["done", "a.txt"]);
    assertEquals(files[0].rows, [["@", 1, 1], [" ", "one"], ["-", "two"], ["+", "three"]]);
    const refused = await undo(ui, "tx=tx:1");
    assertEquals(refused.status, 403);
    assertStringIncludes((await refused.json()).message, "--allow-undo");
  }
  await using ui = await startUi(world, ["--allow-undo"]);
  for (
    const [answer, status] of [[undo(ui, "tx=tx:1", "wrong"), 403], [
      fetch(`${ui.url}api/undo?tx=tx:1`),
      405,
    ]] as const
  ) {
    const { status: got, body } = await answer;
    await body?.cancel();
    assertEquals(got, status);
  }
  assertStringIncludes((await (await undo(ui, "tx=tx:1&dry_run=1")).json()).diff, "-three\n+two\n");
  assertEquals(world.text("a.txt"), "one\nthree\n");
  world.write("a.txt", "one\nother\n");
  const stale = await (await undo(ui, "tx=tx:1&dry_run=1")).json();
  assertMatch(stale.message, /it changed since tx:1\. Undoing would change:\n[^]*\n-other\n\+two$/);
  world.write("a.txt", "one\nthree\n");
  assertEquals((await (await undo(ui, "tx=tx:1")).json()).tx, "tx:2");
  assertEquals(world.text("a.txt"), "one\ntwo\n");
  const { steps } = await ui.ask("log");
  assertEquals(steps.map(({ state }: { state: string }) => state), ["done", "undone"]);
  const { files } = await ui.ask("step?tx=tx:1");
  assertEquals(
    files[0].rows.slice(2),
    [["-", "two"], ["+", "three"]],
    "the new content is the undo's backup",
  );
});

Deno.test("ui: an append is shown as what it added, and a file that is known no more as that", async () => {
  using world = makeWorld();
  world.write("a.txt", "one\n");
  await world.run(["capture", "--always"], { stdin: "two\n" });
  assertEquals((await world.run(["to-file", "fd:1", "a.txt", "--mode", "append"])).code, 0);
  await using ui = await startUi(world);
  const rows = async () => (await ui.ask("step?tx=tx:1")).files[0];
  assertEquals((await rows()).rows, [["@", 1, 1], [" ", "one"], ["+", "two"]]);
  world.write("a.txt", "by another program\n");
  const unknown = await rows();
  assertEquals(unknown.rows, []);
  assertStringIncludes(unknown.note, "changed since by another program");
});

Deno.test("ui: it listens on the loopback interface only, and ends with its stdin or by a signal", async () => {
  using world = makeWorld();
  const ui = await startUi(world);
  const inode = Deno.build.os !== "linux"
    ? undefined
    : Deno.readTextFileSync("/proc/net/tcp").split("\n").find((line) =>
      line.includes(`:${ui.port.toString(16).toUpperCase().padStart(4, "0")} 00000000:0000 0A`)
    );
  if (inode !== undefined) assertStringIncludes(inode, "0100007F:");
  assertEquals(await ui.end(), 0);
  const idle = world.start(["ui", "--format", "json"]);
  idle.child.kill("SIGHUP");
  assertEquals((await idle.finished).code, 129);
  const taken = await startUi(world);
  const again = await world.run(["ui", "--port", String(taken.port)]);
  assertEquals(again.code, 2);
  assertStringIncludes(again.stderr, "EADDRINUSE");
  assertEquals(await taken.end(), 0);
});

Deno.test("ui: --open gives the browser a private file, which is removed once the page was asked for", async () => {
  using world = makeWorld();
  const opened = world.path("opened");
  await world.shell(`mkfifo ${opened}`);
  const opener = world.write(
    "bin/xdg-open",
    `#!/bin/sh\n{ stat -c %a "$1"; echo "$@"; cat "$1"; } >${opened}\n`,
  );
  Deno.chmodSync(opener, 0o755);
  const ui = await startUi(world, ["--open"], { PATH: `${world.path("bin")}:${world.env["PATH"]}` });
  const [mode, words = "", ...page] = (await Deno.readTextFile(opened)).split("\n");
  assertEquals([mode, words.includes(ui.token)], ["600", false]);
  assertStringIncludes(page.join("\n"), `url=${ui.url}"`);
  await (await fetch(ui.url)).body?.cancel();
  assertEquals(existsSync(words), false);
  assertEquals(await ui.end(), 0);
});

Deno.test("ui: --open leaves no file behind if it is ended before the page was asked for", async () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    using world = makeWorld();
    const opener = world.write("bin/xdg-open", "#!/bin/sh\n");
    Deno.chmodSync(opener, 0o755);
    const env = { PATH: `${world.path("bin")}:${world.env["PATH"]}`, TMPDIR: world.path(".") };
    const before = [...Deno.readDirSync(world.dir)].length;
    const ui = await startUi(world, ["--open"], env);
    assertEquals([...Deno.readDirSync(world.dir)].length, before + 1);
    assertEquals(await ui.kill(signal), { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
    assertEquals([...Deno.readDirSync(world.dir)].length, before, signal);
  }
});

Deno.test("ui: sections are what programs mark as such, and end where they end", async () => {
  using world = makeWorld();
  const outputs: [lines: string[], sections: [from: number, to: number, label: string, ms?: number][]][] = [
    [
      [
        "##[group]Größe ✔ שלום",
        "a",
        "::group::inner",
        "b",
        "::endgroup::",
        "##[endgroup]",
        "c",
        "::endgroup::",
      ],
      [[2, 6, "Größe ✔ שלום"], [4, 5, "inner"]],
    ],
    [
      ["2026-11-29T10:00:00.0Z ##[group]Run make", "x", "2026-11-29T10:00:07.5Z ##[endgroup]"],
      [[2, 3, "Run make", 7500]],
    ],
    [
      ["section_start:1795961130:build\r\x1b[0KBuild", "cc", "section_end:1795961142:build\r\x1b[0K"],
      [[2, 3, "Build", 12_000]],
    ],
    [
      ["#5 [2/3] RUN make", "#5 0.1 cc", "#5 DONE 2.5s", "", "#6 exporting to image", "#6 DONE 0.1s"],
      [[2, 4, "#5 [2/3] RUN make", 2500], [6, 6, "#6 exporting to image", 100]],
    ],
    [
      ["=== FAILURES ===", "____ test_a ____", "E x", "____ test_b ____", "E y", "=== 2 failed ==="],
      [[2, 5, "=== FAILURES ==="], [3, 3, "____ test_a ____"], [5, 5, "____ test_b ____"]],
    ],
    [
      [
        "make: Entering directory '/a'",
        "make[1]: Entering directory '/a/b'",
        "cc",
        "make[1]: Leaving directory '/a/b'",
      ],
      [[2, 4, "make: Entering directory '/a'"], [3, 4, "make[1]: Entering directory '/a/b'"]],
    ],
    [["running 2 tests from ./a_test.ts", "a ... ok", "running 1 test from ./b_test.ts"], [
      [2, 2, "running 2 tests from ./a_test.ts"],
    ]],
    [["a [1/2] b", "::endgroup::", "== x", "it is ##[group]"], []],
  ];
  for (const [lines] of outputs) await world.run(["capture", "--always"], { stdin: `${lines.join("\n")}\n` });
  await using ui = await startUi(world);
  for (const [at, [, sections]] of outputs.entries()) {
    const { sections: found } = await ui.ask(`sections?fd=fd:${at + 1}`);
    const wanted = sections.map(([from, to, label, ms]) => ({
      from,
      to,
      label,
      ...ms === undefined ? {} : { ms },
    }));
    assertEquals(found, wanted, outputs[at]![0][0]);
  }
});

Deno.test("ui: the lines of a level are found by how loggers write it, and by nothing else", async () => {
  using world = makeWorld();
  const errors = [
    "2026-11-29 10:00:00 ERROR x",
    "level=error msg=x",
    '{"level":"fatal","msg":"x"}',
    '{"level":50,"msg":"x"}',
    "[error] x",
    "a.c:1:2: error: x",
    "E1129 14:05:30.250000 1 main.go:3] x",
  ];
  const others = [
    "0 errors",
    "terror",
    "INFO error handler is set",
    "level=info msg=fine",
    "warning: x",
    "level=warn",
  ];
  await world.run(["capture", "--always"], { stdin: `${[...errors, ...others].join("\n")}\n` });
  await using ui = await startUi(world);
  const listed = async (level: string) => {
    const news = (await (await fetch(`${ui.url}api/search?fd=fd:1&level=${level}`)).text()).trim().split(
      "\n",
    );
    const { search, found } = JSON.parse(news.at(-1)!);
    const { lines } = await ui.ask(`matching?search=${search}&from=1&count=100`);
    assertEquals(lines.length, found);
    return lines.map(({ n, t }: { n: number; t: string }) => [n, t]);
  };
  assertEquals(await listed("error"), errors.map((text, at) => [at + 1, text]));
  assertEquals((await listed("warn")).length, errors.length + 2);
  assertEquals((await listed("info")).length, errors.length + 4);
  const { lines } = await ui.ask("lines?fd=fd:1");
  assertEquals(lines.map(({ l }: { l?: string }) => l ?? ""), [
    ...errors.map(() => "error"),
    "",
    "",
    "info",
    "info",
    "warn",
    "warn",
  ]);
});

Deno.test("ui: a log has bars over time, and a moment leads to the first line at or after it", async () => {
  using world = makeWorld();
  // One line a second for an hour, but ten a second in its last minute.
  const seconds = [...Array(3600).keys(), ...Array.from({ length: 600 }, (_, at) => 3600 + at / 10)];
  const start = Date.UTC(2026, 10, 29, 23, 30);
  const lines = seconds.map((second) => `${new Date(start + second * 1000).toISOString()} request`);
  await world.run(["capture", "--always"], { stdin: `head\n${lines.join("\n  at frame\n")}\n` });
  await world.run(["capture", "--always"], { stdin: `${lines.toReversed().join("\n")}\n` });
  await world.run(["capture", "--always"], { stdin: "no time\n".repeat(100) });
  await using ui = await startUi(world);
  const { bars } = await ui.ask("sections?fd=fd:1");
  assertEquals([bars.form, bars.firsts.length], ["date", 61]);
  const counts = bars.firsts.slice(1).map((first: number, at: number) => first - bars.firsts[at]);
  assertEquals(counts.reduce((sum: number, count: number) => sum + count), 2 + 2 * (lines.length - 1));
  assert(counts.at(-1) > 5 * counts[0], JSON.stringify(counts));
  const lineOf = async (at: string) => (await ui.ask(`time?fd=fd:1&at=${encodeURIComponent(at)}`)).line;
  assertEquals(await lineOf("23:30:05"), 2 + 2 * 5);
  assertEquals(await lineOf("0:10"), 2 + 2 * 2400, "the next day has it");
  assertEquals(await lineOf("2026-11-29 23:59"), 2 + 2 * 1740);
  assertEquals((await fetch(`${ui.url}api/time?fd=fd:1&at=noon`)).status, 400);
  assertEquals((await ui.ask("sections?fd=fd:2")).bars, undefined, "times that go back");
  assertEquals((await ui.ask("sections?fd=fd:3")).bars, undefined);
});

Deno.test("ui: a command is stopped and run again only with --allow-run, by a POST that repeats the token", async () => {
  using world = makeWorld();
  world.write("here/x", "");
  await world.run(["run", "--always", "--cwd", "here", "--", "sh", "-c", "echo ran in $PWD; exit 3"]);
  const gate = world.path("gate");
  await world.shell(`mkfifo ${gate}`);
  await world.run(["run", "--background", "--shell", "--", `echo up; cat ${gate}`]);
  const order = (ui: UiServer, name: string, headers: Record<string, string>, method = "POST") =>
    fetch(`${ui.url}api/${name}`, { method, headers });
  {
    await using ui = await startUi(world, ["--allow-undo"]);
    for (const name of ["again?fd=fd:1", "stop?fd=fd:2"]) {
      const answer = await order(ui, name, { "x-fdtool-token": ui.token });
      assertEquals(answer.status, 403);
      assertStringIncludes((await answer.json()).message, "--allow-run");
    }
    assertEquals((await ui.ask("start")).allowRun, false);
  }
  const agents = await world.run(["ui", "--allow-run"], { env: { CLAUDECODE: "1" } });
  assertEquals(agents.code, 2, "an agent's harness judges its commands");
  await using ui = await startUi(world, ["--allow-run"]);
  for (const name of ["again?fd=fd:1", "stop?fd=fd:2"]) {
    const refused: [headers: Record<string, string>, method: string, status: number][] = [
      [{ "x-fdtool-token": ui.token }, "GET", 405],
      [{}, "POST", 403],
      [{ "x-fdtool-token": `${ui.token}x` }, "POST", 403],
      [{ "x-fdtool-token": ui.token, "origin": "http://evil.example" }, "POST", 403],
      [{ "x-fdtool-token": ui.token, "sec-fetch-site": "cross-site" }, "POST", 403],
    ];
    for (const [headers, method, status] of refused) {
      const answer = await order(ui, name, headers, method);
      await answer.body?.cancel();
      assertEquals(answer.status, status, JSON.stringify([name, method, headers]));
    }
  }
  assertEquals((await ui.ask("fds?show=all")).fds.length, 2, "nothing was started");
  assertEquals([(await ui.ask("fd?fd=fd:1")).order, (await ui.ask("fd?fd=fd:2")).order], ["again", "stop"]);
  const token = { "x-fdtool-token": ui.token };
  assertEquals(await (await order(ui, "again?fd=fd:1", token)).json(), { fd: "fd:3" });
  await world.run(["wait", "fd:3"]);
  assertEquals((await world.run(["read", "fd:3", "--format", "raw"])).text, `ran in ${world.path("here")}\n`);
  assertEquals(await (await order(ui, "stop?fd=fd:2", token)).json(), { fd: "fd:2" });
  assertEquals((await ui.ask("fd?fd=fd:2")).state, "sealed");
  await world.run(["capture", "--always"], { stdin: "kept\n" });
  const refused = await order(ui, "again?fd=fd:4", token);
  assertEquals(refused.status, 409, await refused.text());
});
