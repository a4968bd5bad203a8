/**
 * Promise: the page of `fdtool ui` works in a real browser, by keyboard alone, with content longer than an element can be
 * high, and shows content as text only. Skipped if Chromium is not installed.
 */

import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { type Browser, type BrowserPage, chromiumPath, startBrowser } from "./browser.ts";
import { fillStore } from "./store_calls.ts";
import { startUi } from "./ui_server.ts";
import { CHECKOUT, makeWorld, type World } from "./world.ts";

const chromium = chromiumPath();
/** 42 million pixels at 20 a line: browsers end an element at 17 to 33 million. */
const LINES = 2_100_000;

/** Rows in view that are loaded, as `[line number, text]`. */
const ROWS = `[...document.querySelectorAll("fd-view .row:not([hidden])")].map((row) =>
  [Number(row.querySelector(".number").textContent.replaceAll(",", "")), row.querySelector(".text").textContent])`;
const LOADED = `${ROWS}.length > 10 && ${ROWS}.every(([, text]) => text !== "…")`;

async function rows(page: BrowserPage): Promise<[number, string][]> {
  await page.until(LOADED);
  return await page.value(ROWS);
}

function bigLog(): Uint8Array<ArrayBuffer> {
  const parts: string[] = [];
  for (let line = 1; line <= LINES; line++) {
    parts.push(line % 1_000_000 === 7 ? `${line} needle\n` : `${line} hay\n`);
  }
  return new TextEncoder().encode(parts.join(""));
}

type PageTest = (world: World, browser: Browser) => Promise<void>;

async function opened(world: World, browser: Browser, words: readonly string[]) {
  const ui = await startUi(world, words);
  const page = await browser.newPage();
  await page.open(ui.url);
  await page.until(`document.querySelector("start-view section") !== null`);
  return { ui, page };
}

const pageTests: [name: string, fn: PageTest][] = [];

/** A test in a tab and a world of its own; all share one browser. */
function pageTest(name: string, fn: PageTest): void {
  pageTests.push([name, fn]);
}

pageTest("any fd is scrolled, searched and left by keyboard", async (world, browser) => {
  await world.run(["capture", "--always", "--name", "big"], { stdin: bigLog() });
  const { ui, page } = await opened(world, browser, []);
  await using _ui = ui;
  await using _page = page;
  await page.until(`document.querySelectorAll("run-list a").length === 1`);
  await page.press("Escape");
  await page.press("Enter");
  assertEquals((await rows(page))[0], [1, "1 hay"]);
  assertLess(await page.value(`document.querySelector(".spacer").offsetHeight`), 17_000_000);

  await page.press("End");
  await page.until(`${ROWS}.some(([number]) => number === ${LINES})`);
  assert((await rows(page)).every(([number, text]) => text.startsWith(`${number} `)));
  await page.press("ArrowUp");
  assertStringIncludes(await page.value(`document.querySelector(".row.current").textContent`), "2,099,999");
  assertEquals(
    await page.value(`document.getElementById(document.querySelector(".scroller")
        .getAttribute("aria-activedescendant")).getAttribute("aria-posinset")`),
    "2099999",
  );

  await page.value(`(() => {
      const scroller = document.querySelector(".scroller");
      scroller.scrollTop = (scroller.scrollHeight - scroller.clientHeight) / 2;
    })()`);
  await page.until(`${ROWS}[0]?.[0] < 2e6`);
  const middle = await rows(page);
  assertLess(Math.abs(middle[0]![0] - LINES / 2), 20_000);
  await page.wheel(800, 500, 100);
  await page.until(`${ROWS}[0][0] === ${middle[0]![0] + 5}`);

  await page.press("g");
  await page.type("1,234,567");
  await page.press("Enter");
  await page.until(`document.querySelector(".row.current .number")?.textContent === "1,234,567"`);

  await page.press("/");
  await page.type("^\\d+ needle$");
  await page.press("Enter");
  await page.until(`document.querySelector(".row.current mark") !== null`);
  assertEquals(
    await page.value(`document.querySelector(".row.current .text").textContent`),
    "2000007 needle",
  );
  assertEquals(await page.value(`document.querySelector(".found").textContent`), "3 of 3 matches");
  assertEquals(await page.value(`document.querySelector(".strip").hidden`), false);
  await page.press("n");
  await page.until(`document.querySelector(".row.current .text")?.textContent === "7 needle"`);

  await page.press("Escape");
  assertEquals(await page.value(`document.activeElement.dataset.place`), "fd:1");
  assertEquals(page.faults, []);
});

pageTest("content is text, runs are compared, a running command is followed", async (world, browser) => {
  const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
  await world.run(["run", "--always", "--", "printf", "%s\\n", hostile, "\x1b[31mred\x1b[0m"]);
  await world.run(["run", "--always", "--", "printf", "%s\\n", hostile, "green"]);
  const gate = world.path("gate");
  await world.shell(`mkfifo ${gate}`);
  await world.run([
    "run",
    "--background",
    "--shell",
    "--",
    `echo first; cat ${gate}; cat ${gate}; cat ${gate}; exit 3`,
  ]);
  const { ui, page } = await opened(world, browser, []);
  await using _ui = ui;
  await using _page = page;
  await page.until(`document.querySelectorAll("run-list a").length === 3`);
  await page.value(`location.hash = "#fd:1"`);
  await page.until(`document.querySelectorAll("fd-view .row .text:not(.waiting)").length === 2`);
  assertEquals(
    await page.value(
      `[...document.querySelectorAll("fd-view .row .text")].map((text) => text.textContent)`,
    ),
    [hostile, "red"],
  );
  await page.value(`location.hash = "#diff:fd:1:fd:2"`);
  await page.until(`document.querySelectorAll(".half.added").length === 1`);
  assertStringIncludes(await page.value(`document.querySelector(".half.removed").textContent`), "red");

  await page.value(`location.hash = "#fd:3"`);
  const follow = `document.querySelector("fd-view .tools > button")?.textContent`;
  await page.until(`${follow} === "Pause"`);
  await page.press("f");
  await page.until(`${follow} === "Resume"`);
  await Deno.writeTextFile(gate, Array.from({ length: 400 }, (_, at) => `meanwhile ${at}\n`).join(""));
  await page.until(`${follow} === "Resume · 400 new lines"`);
  assertEquals((await page.value<[number, string][]>(ROWS))[0], [1, "first"], "the view stays");
  await page.press("f");
  await page.until(`${follow} === "Pause" && ${ROWS}.some(([, text]) => text === "meanwhile 399")`);
  await page.press("w");
  await page.until(`document.querySelector("row-list.wraps") !== null`);
  await Deno.writeTextFile(
    gate,
    Array.from({ length: 50 }, (_, at) => `${"wide ".repeat(60)}${at}\n`).join(""),
  );
  await page.until(`${ROWS}.some(([, text]) => text.endsWith("wide 49"))`);
  assertEquals(await page.value(follow), "Pause", "it still follows");
  await Deno.writeTextFile(gate, Array.from({ length: 500 }, (_, at) => `new ${at}\n`).join(""));
  await page.until(`document.querySelector(".fd-head .ending")?.textContent === "exit 3"`);
  await page.until(`${ROWS}.some(([, text]) => text === "new 499")`);
  await page.until(`document.querySelector("run-list .ending").textContent === "exit 3"`);
  assert(!(await page.value<string>("document.title")).includes("owned"));
  assertEquals(page.faults, []);
});

pageTest(
  "undo asks first, in the colours that the reader prefers, and only if it is allowed",
  async (world, browser) => {
    world.write("a.txt", "one\ntwo\n");
    await world.run(["edit", "a.txt", "--old", "two", "--new", "three", "--yes"]);
    const { ui, page } = await opened(world, browser, ["--allow-undo"]);
    await using _ui = ui;
    await using _page = page;
    const background = `getComputedStyle(document.body).backgroundColor`;
    await page.prefer("light");
    const light = await page.value(background);
    await page.prefer("dark");
    assert(light !== await page.value(background));
    await page.press("j");
    await page.until(`document.querySelectorAll("journal-list a").length === 1`);
    await page.press("Escape");
    await page.press("Enter");
    await page.until(`document.querySelector("step-view .danger") !== null`);
    const ask = async () => {
      await page.value(`document.querySelector("step-view .danger").focus()`);
      await page.press("Enter");
      await page.until(`document.querySelector("dialog.undo pre") !== null`);
    };
    await ask();
    assertEquals(await page.value(`document.activeElement.textContent`), "Cancel");
    await page.press("Enter");
    await page.until(`document.querySelector("dialog.undo") === null`);
    assertEquals(world.text("a.txt"), "one\nthree\n");
    await ask();
    await page.press("Tab");
    await page.press("Enter");
    await page.until(`document.querySelector("journal-list .ending")?.textContent === "done" &&
      document.querySelectorAll("journal-list a").length === 2`);
    assertEquals(world.text("a.txt"), "one\ntwo\n");
    assertEquals(page.faults, []);
  },
);

/** The sources of accessibility checks, as the page's own policy loads none. */
const AXE = Deno.readTextFileSync(join(CHECKOUT, "node_modules", "axe-core", "axe.min.js"));

/** The rules that a scheme of colours can break. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

/** Findings of axe of weight serious or more, as texts; with `rules`, of only these. */
async function seriousFaults(page: BrowserPage, rules?: readonly string[]): Promise<string[]> {
  if (await page.value(`window.axe === undefined`)) await page.value(`${AXE}; true`);
  const options = { resultTypes: ["violations"], ...rules === undefined ? {} : { runOnly: rules } };
  const violations = await page.value<Violation[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, impact, nodes }) =>
      `${impact} ${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(" | ")}`
    );
}

const SHOWN_LINE = `document.querySelector(".row.current .text")?.textContent`;

pageTest(
  "a failed run opens at the line that matters, in its colours, with all findings and what changed",
  async (world, browser) => {
    const hay = Array.from({ length: 4000 }, (_, at) => `compiled part ${at}`).join("\n");
    const error = (name: string) => `\x1b[1;31merror\x1b[0m: cannot find value \`${name}\` in this scope`;
    world.write("one", `${hay}\n${error("tarif")}\n${hay}\n`);
    await world.shell("fdtool run -- sh -c 'cat one; exit 1' >first.txt");
    world.write("one", `${hay}\n${hay}\nfatal: disk full\n${error("freigt")}\n${hay}\n`);
    await world.shell("fdtool run -- sh -c 'cat one; exit 1' >second.txt");
    world.write("a.txt", "one\n");
    await world.run(["edit", "a.txt", "--old", "one", "--new", "two"]);
    await world.run(["create", "b.txt"]);
    const { ui, page } = await opened(world, browser, []);
    await using _ui = ui;
    await using _page = page;

    await page.until(`document.querySelectorAll("start-view section").length === 6`);
    await page.until(`document.querySelectorAll("start-view meter").length === 2`);
    assertEquals(
      await page.value(`[...document.querySelectorAll("start-view h2")].map((title) => title.textContent)`),
      [
        "Waiting for an answer",
        "Failing",
        "Running now",
        "Written to files",
        "Growth of the store",
        "What it saved",
      ],
    );
    assertEquals(
      await page.value(`[...document.querySelectorAll("start-view section > .hint")].at(-1).textContent`),
      JSON.parse((await world.run(["stats", "--format", "json"])).text).message,
    );
    assertEquals(
      await page.value(`[...document.querySelectorAll("start-view .items a")].map((a) => a.dataset.place)`),
      ["fd:2", "tx:1"],
    );
    assertStringIncludes(
      await page.value(`document.querySelector("start-view .question").textContent`),
      "b.txt",
    );
    await page.until(`document.querySelector("start-view .item-change") !== null`);
    const part = (name: string) =>
      page.value<string>(`document.querySelector("start-view ${name}").textContent`);
    assertEquals(await part(".items a .item-head b"), "cat one; exit 1");
    assertEquals(await part(".item-finding"), "fatal: disk full");
    assertStringIncludes(await part(".item-change"), "of those recognized 1 of 1 gone, 2 new");
    assertEquals(await part(".item-failing"), "failed 2 times in a row, first just now");
    assertEquals(await part(".history"), "✗✗");

    await world.shell("fdtool run --always -- sh -c 'exit 9'");
    await page.until(`document.querySelector("start-view .failed")?.textContent === "exit 9"`);

    await page.value(`location.hash = "#fd:1"`);
    await page.until(`${SHOWN_LINE} === "error: cannot find value \`tarif\` in this scope"`);
    const style = (part: string) =>
      page.value(`getComputedStyle(document.querySelector(".row.current .bold")).${part}`);
    assertEquals(await style("fontWeight"), "700");
    assert(
      await style("color") !==
        await page.value(`getComputedStyle(document.querySelector(".row.current .text")).color`),
    );
    assertEquals(await page.value(`location.hash`), "#fd:1:4001", "the address leads here again");

    await page.value(`location.hash = "#fd:2"`);
    await page.until(`document.querySelectorAll("fd-view .findings li").length === 2`);
    const listed = await page.value(
      `[...document.querySelectorAll(".findings li .text")].map((text) => text.textContent)`,
    );
    assertEquals(listed, ["fatal: disk full", "error: cannot find value `freigt` in this scope"]);
    assertStringIncludes(await page.value(`document.querySelector(".change").textContent`), "Since fd:1");
    await page.until(`document.querySelector(".before")?.getAttribute("href") === "#diff:fd:1:fd:2"`);
    assertEquals(
      await page.value(
        `[...document.querySelectorAll(".fd-head .run")].map((run) => run.getAttribute("href"))`,
      ),
      ["#fd:1", "#fd:2"],
    );
    await page.press("Escape");
    await page.value(`document.querySelector("fd-view .scroller").focus()`);
    await page.press("Home");
    await page.press("n");
    await page.until(`${SHOWN_LINE} === "fatal: disk full"`);
    await page.press("n");
    await page.until(`${SHOWN_LINE} === "error: cannot find value \`freigt\` in this scope"`);
    await page.press("p");
    await page.until(`${SHOWN_LINE} === "fatal: disk full"`);
    assertEquals(await page.value(`document.querySelector(".strip").hidden`), false);
    await page.value(`[...document.querySelectorAll(".tools button")].at(-1).click()`);
    const downloads = await page.value<string[]>(
      `Promise.all([...document.querySelectorAll("a[download]")].map((link) =>
        fetch(link.href).then((answer) => answer.text())))`,
    );
    assertEquals(downloads, ["fatal: disk full\n", world.text("one")], "the downloads are exact");
    await page.press("Escape");

    assertEquals(page.faults, []);
  },
);

pageTest(
  "everything stored is searched, and a match is opened at its line, which its address keeps",
  async (world, browser) => {
    const lines = Array.from({ length: 500 }, (_, at) => at % 100 === 7 ? `needle ${at}` : `hay ${at}`);
    lines[450] = `${"x".repeat(30_000)}needle far away`;
    await world.run(["capture", "--always", "--name", "stack"], { stdin: lines.join("\n") });
    await world.run(["capture", "--always"], { stdin: "nothing here\n" });
    await world.run(["run", "--always", "--", "echo", "one needle more"]);
    const { ui, page } = await opened(world, browser, []);
    await using _ui = ui;
    await using _page = page;
    await page.until(`document.querySelectorAll("run-list a").length === 3`);
    await page.press("s");
    await page.until(`document.activeElement?.type === "search" && location.hash === "#search"`);
    await page.type("NEEDLE");
    await page.press("Enter");
    const found = `document.querySelector("search-view .found")?.textContent`;
    await page.until(`${found} === "No match in 3 fds"`);
    await page.value(`document.querySelector("search-view label input").click()`);
    await page.value(`document.querySelector("search-view form").requestSubmit()`);
    await page.until(`${found} === "7 lines in 2 of 3 fds"`);
    assertEquals(
      await page.value(`[...document.querySelectorAll(".group")].map((group) =>
        [group.querySelector("a").dataset.place, group.querySelector(".name")?.textContent,
          [...group.querySelectorAll(".number")].map((number) => number.textContent)])`),
      [["fd:3", null, ["1"]], ["fd:1", "stack", ["8", "108", "208", "308", "408", "451"]]],
    );
    assertStringIncludes(
      await page.value(`[...document.querySelectorAll(".group li")].at(-1).textContent`),
      "needle far away",
    );
    await page.press("Escape");
    for (let links = 0; links < 4; links++) await page.press("ArrowDown");
    await page.press("Enter");
    const isThere = `${SHOWN_LINE} === "needle 107" && document.querySelector(".row.current mark") !== null`;
    await page.until(isThere);
    assertEquals(await page.value("location.hash"), "#fd:1:108?pattern=NEEDLE&case=0");
    await page.until(`document.querySelector("fd-view .found").textContent === "2 of 6 matches"`);
    await page.press("n");
    await page.until(`location.hash === "#fd:1:208?pattern=NEEDLE&case=0"`);
    await page.press("ArrowDown");
    await page.until(`location.hash.startsWith("#fd:1:209?")`);
    await page.open("about:blank");
    await page.open(`${ui.url}#fd:1:108?pattern=NEEDLE&case=0`);
    await page.until(isThere);
    assertEquals(page.faults, []);
  },
);

pageTest(
  "long lines are wrapped, which is remembered, and lines are copied with their numbers",
  async (world, browser) => {
    const lines = Array.from({ length: 3000 }, (_, at) => `${at + 1} ${"word ".repeat(at % 90)}`.trimEnd());
    await world.run(["capture", "--always"], { stdin: lines.join("\n") });
    const { ui, page } = await opened(world, browser, []);
    await using _ui = ui;
    await using _page = page;
    await page.value(`location.hash = "#fd:1:1000"`);
    await page.until(`${SHOWN_LINE}?.startsWith("1000 ")`);
    await page.press("w");
    await page.until(`[...document.querySelectorAll(".row")].some((row) => row.offsetHeight >= 40)`);
    const inView = (selector: string) =>
      `(() => {
        const view = document.querySelector(".scroller").getBoundingClientRect();
        const row = document.querySelector("${selector}").getBoundingClientRect();
        return row.top >= view.top - 1 && row.bottom <= view.bottom + 1;
      })()`;
    assert(await page.value(inView(".row.current")));
    for (const [key, line] of [["End", 3000], ["ArrowUp", 2999], ["Home", 1], ["PageDown", 0]] as const) {
      await page.press(key);
      await page.until(`${LOADED} && ${inView(".row.current")}`);
      if (line > 0) await page.until(`${SHOWN_LINE}?.startsWith("${line}")`);
    }
    await page.wheel(800, 500, 3000);
    await page.until(`${ROWS}[0][0] > 30`);
    const overlaps = await page.value(
      `[...document.querySelectorAll(".row:not([hidden])")].some((row, at, rows) =>
      at > 0 && Math.abs(row.offsetTop - rows[at - 1].offsetTop - rows[at - 1].offsetHeight) > 1)`,
    );
    assertEquals(overlaps, false);

    await page.press("g");
    await page.type("600");
    await page.press("Enter");
    await page.press("Shift+ArrowDown");
    await page.press("Shift+ArrowDown");
    await page.until(`document.querySelectorAll(".row.chosen").length === 3`);
    await page.press("c");
    await page.until(`document.getElementById("said").textContent === "Copied lines 600 to 602."`);
    assertEquals(
      await page.value("navigator.clipboard.readText()"),
      lines.slice(599, 602).map((line, at) => `${600 + at}\t${line}\n`).join(""),
    );
    assertEquals(page.faults, []);

    await using other = await startUi(world);
    await page.open(`${other.url}#fd:1`);
    await page.until(`document.querySelector("row-list.wraps .row.current") !== null`);
  },
);

pageTest(
  "groups fold and unfold by key and click, what matters alone is shown, and a line that is gone to is unfolded",
  async (world, browser) => {
    const adds = Array.from({ length: 58 }, (_, at) => `✔ adds ${at}`);
    const parts = Array.from({ length: 3000 }, (_, at) => `compiling part ${at}`);
    const lines = [
      "##[group]Größe ✔ שלום",
      ...adds,
      "##[endgroup]",
      "src/é.c:12:3: error: ‘größe’ undeclared",
      ...parts,
    ];
    const bytes = Buffer.concat([Buffer.from(`${lines.join("\n")}\n`), Buffer.of(0xff, 0xfe, 0x0a)]);
    Deno.writeFileSync(world.path("log"), bytes);
    await world.run(["run", "--always", "--", "sh", "-c", "cat log; exit 1"]);
    const { ui, page } = await opened(world, browser, []);
    await using _ui = ui;
    await using _page = page;
    await page.value(`location.hash = "#fd:1"`);
    const choice = `document.querySelector("fd-view select")`;
    await page.until(`${choice}?.querySelector('[value="folded"]:not([hidden])') != null`);
    await page.until(`${SHOWN_LINE}?.includes("größe")`);
    const offered = `[...${choice}.options].filter((option) => !option.hidden).map((option) => option.value)`;
    assertEquals(await page.value(offered), ["all", "matters", "folded"]);

    await page.press("m");
    const gaps =
      `[...document.querySelectorAll(".row:not([hidden]) .gap bdi")].map((gap) => gap.textContent)`;
    await page.until(`${gaps}.length === 2`);
    const [first, second] = await page.value<string[]>(gaps);
    assertStringIncludes(first!, ' like "✔ adds ');
    assertStringIncludes(second!, 'like "compiling part');
    assertEquals(await page.value(SHOWN_LINE), "src/é.c:12:3: error: ‘größe’ undeclared", "the same line");
    const rowCount = `Number(document.querySelector(".row").getAttribute("aria-setsize"))`;
    const folded = await page.value<number>(rowCount);
    await page.value(`document.querySelector(".gap").click()`);
    await page.until(`${rowCount} > ${folded} + 40`);
    await page.press("Escape");
    await page.value(`document.querySelector("fd-view .scroller").focus()`);
    await page.press("Enter");
    await page.until(`${rowCount} === ${folded}`);
    await page.press("g");
    await page.type("2,000");
    await page.press("Enter");
    await page.until(`${SHOWN_LINE} === ${JSON.stringify(lines[1999])}`);
    await page.until(`location.hash === "#fd:1:2000"`);
    await page.press("Z");
    await page.until(`${rowCount} < 10`);
    assertStringIncludes(
      await page.value(`document.querySelector(".row .text").textContent`),
      "Größe ✔ שלום",
    );
    await page.press("Home");
    await page.press("z");
    await page.until(
      `${rowCount} > 10 && document.querySelector(".row.current .unseen").textContent === "unfolded "`,
    );
    await page.press("m");
    await page.until(`${rowCount} === ${lines.length + 1}`);
    assertEquals(page.faults, []);
  },
);

pageTest(
  "rows and lines of folded groups agree with a list of what is not folded",
  async (world, browser) => {
    await world.run(["capture", "--always"], { stdin: "x\n" });
    const { ui, page } = await opened(world, browser, []);
    await using _ui = ui;
    await using _page = page;
    const disagreement = await page.value(`(async () => {
    const { foldedLines } = await import(new URL("folded_lines.js", location.href.split("#")[0]));
    let seed = 1;
    const random = (most) => (seed = seed * 48271 % 2147483647) % most;
    for (let round = 0; round < 300; round++) {
      const count = 1 + random(60);
      const ranges = (least) => Array.from({ length: random(8) }, () => {
        const from = least + random(count);
        return { from, to: Math.min(count, from + random(20)), label: "" };
      }).filter(({ from, to }) => from <= to);
      const folded = foldedLines({ count, row: (line) => line, want() {} });
      let end = 0;
      const gaps = ranges(1).sort((one, other) => one.from - other.from)
        .filter(({ from, to }) => from > end && (end = to));
      folded.groups = { gaps, sections: ranges(2) };
      folded.showsGaps = random(2) === 1;
      for (const fold of folded.folds) folded.fold([fold], random(2) === 1);
      // A model: line by line, from the top; a closed group hides its lines, and the groups that begin there.
      const rows = [];
      const shown = new Set();
      for (let line = 0; line < count;) {
        const own = folded.folds.filter(({ head }) => head === line);
        for (const gap of own.filter(({ isGap }) => isGap)) rows.push([line, gap]);
        const gap = own.find(({ isGap, isClosed }) => isGap && isClosed);
        if (gap !== undefined) { line = gap.to + 1; continue; }
        rows.push([line, undefined]);
        shown.add(line);
        const closed = own.filter(({ isGap, isClosed }) => !isGap && isClosed).map(({ to }) => to);
        line = Math.max(line, ...closed) + 1;
      }
      const found = Array.from({ length: folded.count }, (_, row) =>
        [folded.lineAt(row), folded.foldAt(row)?.isGap ? folded.foldAt(row) : undefined]);
      const isSame = rows.length === found.length &&
        rows.every(([line, gap], row) => found[row][0] === line && found[row][1] === gap) &&
        Array.from({ length: count }, (_, line) => line).every((line) =>
          folded.isShown(line) === shown.has(line) &&
          (!shown.has(line) || found[folded.rowOf(line)][0] === line && found[folded.rowOf(line)][1] === undefined));
      if (!isSame) return JSON.stringify({ round, count, rows, found, folds: folded.folds });
      const line = random(count);
      folded.reveal(line);
      if (!folded.isShown(line)) return "reveal " + round;
    }
    return "";
  })()`);
    assertEquals(disagreement, "");
  },
);

pageTest("a log is narrowed to a level, and gone through by its times", async (world, browser) => {
  const levels = (at: number) =>
    at % 100 === 50 ? "ERROR" : at % 10 === 5 ? "WARN" : at % 2 === 0 ? "INFO" : "DEBUG";
  const time = (at: number) => new Date(Date.UTC(2026, 10, 29, 8) + at * 1000).toISOString();
  const lines = Array.from({ length: 3000 }, (_, at) => `${time(at)} ${levels(at)} request ${at}`);
  await world.run(["capture", "--always"], { stdin: `${lines.join("\n")}\n` });
  const { ui, page } = await opened(world, browser, []);
  await using _ui = ui;
  await using _page = page;
  await page.value(`location.hash = "#fd:1:1000"`);
  const choice = `document.querySelector("fd-view select")`;
  await page.until(`${choice}?.querySelector('[value="error"]:not([hidden])') != null`);
  const choose = (value: string) =>
    page.value(
      `(() => { ${choice}.value = "${value}"; ${choice}.dispatchEvent(new Event("change")); })()`,
    );
  await choose("error");
  await page.until(`${SHOWN_LINE} === ${JSON.stringify(lines[1050])}`);
  assertEquals(await page.value(`document.querySelectorAll(".row.error:not([hidden])").length > 10`), true);
  assert(
    (await rows(page)).every(([number, text]) => text === lines[number - 1] && text.includes(" ERROR ")),
  );
  assertStringIncludes(
    await page.value(`document.querySelector(".place").textContent`),
    "30 of them are listed",
  );
  await page.press("ArrowDown");
  await choose("all");
  await page.until(`${SHOWN_LINE} === ${JSON.stringify(lines[1150])} && ${ROWS}.length > 10`);
  await page.press("/");
  await page.type("request 2\\d\\d\\d");
  await page.press("Enter");
  await page.until(`${choice}.querySelector('[value="matches"]:not([hidden])') !== null`);
  await choose("matches");
  await page.until(`document.querySelector(".place").textContent.includes("1,000 of them are listed")`);
  await page.until(
    `${SHOWN_LINE}?.includes("request 2000") && document.querySelector(".row.current mark") !== null`,
  );

  const slider = `document.querySelector(".times input")`;
  await page.value(`${slider}.focus()`);
  await page.press("End");
  await page.until(`${SHOWN_LINE}?.includes("request 29")`);
  assertStringIncludes(await page.value(`${slider}.getAttribute("aria-valuetext")`), "08:49:");
  await page.press("Escape");
  await page.press("g");
  await page.type("8:20:10");
  await page.press("Enter");
  await page.until(`${SHOWN_LINE} === ${JSON.stringify(lines[1210])}`);
  assertEquals(page.faults, []);
});

pageTest(
  "a place and an address in a line are links, the user sets the editor, and a number is its line's link",
  async (world, browser) => {
    const lines = [
      "src/é 1.c",
      "src/é.c:12:3: error: see https://example.org/a?b=1.",
      "at 127.0.0.1:80, host.com:443",
      "at f (/a b/c.js:4:5), file:///h/x%20y.mjs:6:7, (see https://example.org/x_(y)).",
      "shown \u202ein order",
      "C:\\u\\v.ts(8,9): D:/w/z.cs:10 [Makefile:11: all]",
      "a\\b.cpp(12): error C2065, .\\a\\b.cpp(12,5), a\\ü b\\c.x:1, ..\\c.h:13; in d\\e.cs:line 14",
      'ACME\\j.doe:1000, "caf\\u00e9.txt:1", src/\\303\\251.c:2, a\\w+\\.js:3, f.g(4), \\bx.c:6',
      '{"text": "first\\nsecond.py:7: \\"quoted\\"\\n"}',
    ];
    await world.run(["run", "--always", "--", "printf", "%s\\n", ...lines]);
    const { ui, page } = await opened(world, browser, []);
    await using _ui = ui;
    await using _page = page;
    await page.value(`location.hash = "#fd:1"`);
    const links = `[...document.querySelectorAll("fd-view .link")].map((link) => link.dataset.href)`;
    await page.until(`${links}.length > 0`);
    const cwd = await page.value<string>(
      `fetch("api/fd?fd=fd:1").then((it) => it.json()).then((it) => it.cwd)`,
    );
    const file = `${cwd}/src/%C3%A9.c`;
    const address = "https://example.org/a?b=1";
    assertEquals(
      new Set(await page.value<string[]>(links)),
      new Set([
        ...[`vscode://file${file}:12:3`, address, "vscode://file/a%20b/c.js:4:5"],
        ...["vscode://file/h/x%20y.mjs:6:7", "https://example.org/x_(y)"],
        ...[
          "vscode://file/C%3A/u/v.ts:8:9",
          "vscode://file/D%3A/w/z.cs:10:1",
          `vscode://file${cwd}/Makefile:11:1`,
          ...["a/b.cpp:12:1", "./a/b.cpp:12:5", "b/c.x:1:1", "../c.h:13:1", "d/e.cs:14:1"].map((each) =>
            `vscode://file${cwd}/${each}`
          ),
        ],
      ]),
    );
    const shownRows = await page.value<[number, string][]>(ROWS);
    assert(shownRows.some(([, text]) => text === "shown \\u202ein order"), "and seen to be turned");
    const setEditor = async (template: string) => {
      await page.value(`[...document.querySelectorAll(".tools button")].at(-1).click()`);
      await page.value(`(() => {
        const form = [...document.querySelectorAll("dialog form.field")].at(-1);
        form.querySelector("input").value = ${JSON.stringify(template)};
        form.requestSubmit();
      })()`);
    };
    await setEditor("javascript:alert({path})");
    await page.until(`document.getElementById("said").textContent.startsWith("Invalid address")`);
    await setEditor("idea://open?file={path}&line={line}");
    await page.until(`${links}.includes("idea://open?file=${file}&line=12")`);
    await page.value(`document.querySelectorAll("fd-view .number")[1].click()`);
    await page.until(`location.hash === "#fd:1:2"`);
    assertEquals(page.faults, []);
  },
);

pageTest(
  "compared lines are beside what they became, wrapped, and below each other on a phone",
  async (world, browser) => {
    const long = "a word that makes this line longer than half of a window is ".repeat(4);
    await world.run(["capture", "--always"], { stdin: `start\n${long}old end\nb is 1\nend\n` });
    await world.run(["capture", "--always"], { stdin: `start\nnew\n${long}new end\nb is 2\nend\n` });
    const { ui, page } = await opened(world, browser, []);
    await using _ui = ui;
    await using _page = page;
    await page.value(`location.hash = "#diff:fd:1:fd:2"`);
    await page.until(`document.querySelectorAll(".row.changed:not([hidden])").length === 3`);
    const halves = await page.value(`[...document.querySelectorAll(".row.changed")].map((row) =>
      [...row.querySelectorAll(".half")].map((half) =>
        [half.querySelector(".number")?.textContent, half.querySelector("mark")?.textContent]))`);
    assertEquals(halves, [[[null, null], ["2", null]], [["2", "old"], ["3", "new"]], [["3", "1"], [
      "4",
      "2",
    ]]]);
    const isWhole = `[...document.querySelectorAll(".half .text")].every((text) =>
      text.scrollWidth <= text.clientWidth && text.getBoundingClientRect().right <= innerWidth)`;
    assert(await page.value(isWhole));
    await page.resize(390, 800);
    await page.until(isWhole);
    assert(
      await page.value(`(([before, after]) => after.left === before.left && after.top >= before.bottom)(
        [...document.querySelectorAll(".row.changed")[1].children].map((half) => half.getBoundingClientRect()))`),
    );
    assertEquals(page.faults, []);
  },
);

pageTest(
  "a run that was seen running turns title and icon red when it fails, and is run again after a question",
  async (world, browser) => {
    const gate = world.path("gate");
    await world.shell(`mkfifo ${gate}`);
    const script = `echo up; cat ${gate}; echo "error: broken"; exit 3`;
    await world.run(["run", "--background", "--", "sh", "-c", script]);
    const { ui, page } = await opened(world, browser, ["--allow-run"]);
    await using _ui = ui;
    await using _page = page;
    const tool = (text: string) =>
      `[...document.querySelectorAll("fd-view button:not([hidden])")].find((each) => each.textContent.startsWith("${text}"))`;
    await page.value(`location.hash = "#fd:1"`);
    await page.until(`${tool("Stop")} !== undefined && ${tool("Run again")} === undefined`);
    const icon = `document.querySelector('link[rel="icon"]').href.split("/").at(-1)`;
    assertEquals(await page.value(icon), "icon.svg");
    await page.value(`(() => {
      globalThis.shown = [];
      globalThis.Notification = class extends Notification {
        constructor(...given) {
          super(...given);
          this.onshow = () => shown.push([this.title.slice(-8), this.body]);
        }
      };
      location.hash = "#";
    })()`);
    await Deno.writeTextFile(gate, "");
    await page.until(`document.title.startsWith("✗ ") && ${icon} === "icon-failed.svg"`);
    await page.until("shown.length > 0");
    assertEquals(await page.value("shown"), [[": exit 3", "fd:1"]], "the browser has shown it");
    await page.press("r");
    await page.until(`!document.title.startsWith("✗ ") && ${icon} === "icon.svg"`);

    await page.value(`location.hash = "#fd:1"`);
    await page.until(`${tool("Run again")} !== undefined`);
    await page.value(`${tool("Run again")}.click()`);
    await page.until(`document.querySelector("dialog.order pre")?.textContent.includes("error: broken")`);
    const press = (text: string) =>
      page.value(
        `[...document.querySelectorAll("dialog button")].find((each) => each.textContent === "${text}").click()`,
      );
    await press("Cancel");
    await page.until(`document.querySelector("dialog") === null`);
    assertEquals((await ui.ask("fds?show=all")).fds.length, 1, "a question starts nothing");
    await page.value(`${tool("Run again")}.click()`);
    await press("Run again");
    await page.until(`location.hash.startsWith("#fd:2") && ${tool("Stop")} !== undefined`);
    await page.value(`${tool("Stop")}.click()`);
    await press("Stop");
    await page.until(`document.querySelector(".facts .ending")?.textContent === "SIGTERM"`);
    await page.until(`${tool("Run again")} !== undefined && ${tool("Stop")} === undefined`);
    assertEquals(page.faults, []);
  },
);

pageTest(
  "what failed, since when and what changed is there when the page opens; an old run is brought into its list",
  async (world, browser) => {
    world.write("log", `${"fine\n".repeat(300)}error: no such table\n`);
    await world.run(["run", "--always", "--", "sh", "-c", "cat log; exit 1"]);
    world.write("log", `${"fine\n".repeat(300)}error: no such column\n`);
    await world.run(["run", "--always", "--", "sh", "-c", "cat log; exit 1"]);
    fillStore(world, 110, (at) => `n${at}`);
    const { ui, page } = await opened(world, browser, []);
    await using _ui = ui;
    await using _page = page;
    const failing = `document.querySelector("start-view").innerText`;
    for (const text of ["cat log; exit 1", "error: no such column", "failed 2 times in a row", "1 new"]) {
      await page.until(`${failing}.includes(${JSON.stringify(text)})`);
    }
    const isInView = `(() => {
      const item = document.querySelector('run-list [aria-current="true"]')?.getBoundingClientRect();
      const list = document.querySelector("run-list .items").getBoundingClientRect();
      return item !== undefined && item.top >= list.top - 1 && item.bottom <= list.bottom + 1;
    })()`;
    await page.value(`location.hash = "#fd:60"`);
    await page.until(
      `${isInView} && document.querySelector('run-list [aria-current="true"]').dataset.place === "fd:60"`,
    );
    assertEquals(await page.value(`document.querySelector('run-list [data-place="fd:2"]')`), null);
    await page.value(`location.hash = "#fd:2"`);
    await page.until(
      `${isInView} && document.querySelector('run-list [aria-current="true"]').dataset.place === "fd:2"`,
    );
    await rows(page);
    // A view that is left while it writes its line into the address.
    await page.value(`(() => {
      location.hash = "#fd:112";
      document.querySelector("fd-view .row .number").click();
    })()`);
    await page.until(
      `${isInView} && document.querySelector('run-list [aria-current="true"]').dataset.place === "fd:112"`,
    );
    assertEquals(page.faults, []);
  },
);

/** Sizes of phones, upright and on their side. */
const PHONES = [[390, 800], [320, 568], [360, 640], [414, 896], [568, 320], [932, 430]] as const;

const VIEWS_WITH_TOOLS = new Set(["failed", "running", "log"]);

/** On a desktop. */
async function assertToolsInOneRow(page: BrowserPage, view: string): Promise<void> {
  const tops =
    `[...document.querySelectorAll(".tools > :not([hidden]), .tools label, .tools button:not([hidden])")]
    .map((tool) => tool.getBoundingClientRect())`;
  const isOneRow = `${tops}.every(({ top, bottom }) => bottom > ${tops}[0].top && top < ${tops}[0].bottom)`;
  assert(await page.value(isOneRow), `the tools of ${view} are one row`);
  const overlap = await page.value(
    `[...document.querySelectorAll(".tools button:not([hidden]), .tools input, .tools select:not([hidden])")]
      .map((tool) => tool.getBoundingClientRect()).sort((one, other) => one.left - other.left)
      .some(({ right }, at, all) => right > all[at + 1]?.left)`,
  );
  assertEquals(overlap, false, `no tools of ${view} overlap`);
  assertEquals(await page.value(`document.querySelector(".tools").scrollWidth <= innerWidth - 340`), true);
}

/** A directory for pictures of each view, if people want to look at them: they take a fifth of the time. */
const SCREENSHOTS = Deno.env.get("FDTOOL_SCREENSHOTS");

pageTest(
  "axe finds nothing serious in any view, on a phone and a desktop, in light and dark colours",
  async (world, browser) => {
    const hay = Array.from({ length: 900 }, (_, at) => `   Compiling part-${at} v0.${at % 7}.1`).join("\n");
    const error = (name: string) => `\x1b[1;31merror\x1b[0m: cannot find value \`${name}\` in this scope`;
    for (const name of ["tarif", "freigt"]) {
      world.write("log", `${hay}\n${error(name)}\n${hay}\n`);
      await world.shell("fdtool run --name build -- sh -c 'cat log; exit 101' >out.txt");
    }
    world.write("src/a.ts", "let sum = 0;\nreturn sum;\n");
    await world.run(["edit", "src/a.ts", "--old", "let sum = 0;", "--new", "let total = 0;"]);
    await world.run(["create", "notes.md"]);
    const gate = world.path("gate");
    await world.shell(`mkfifo ${gate}`);
    await world.run([
      "run",
      "--background",
      "--shell",
      "--name",
      "server",
      "--",
      `echo Listening; cat ${gate}`,
    ]);
    const at = (second: number) => new Date(Date.UTC(2026, 10, 29, 8) + second * 1000).toISOString();
    const log = Array.from(
      { length: 900 },
      (_, line) =>
        line % 100 === 0
          ? `${at(line)} ##[group]Step ${line / 100}`
          : line % 100 === 99
          ? `${at(line)} ##[endgroup]`
          : `${at(line)} ${["INFO", "DEBUG", "WARN", "INFO"][line % 4]} request ${line} of שלום`,
    );
    log[450] = `${at(450)} ERROR cannot reach größe`;
    await world.run(["capture", "--always", "--name", "log"], { stdin: `${log.join("\n")}\n` });
    const { ui, page } = await opened(world, browser, ["--allow-undo", "--allow-run"]);
    await using _ui = ui;
    await using _page = page;
    if (SCREENSHOTS !== undefined) Deno.mkdirSync(SCREENSHOTS, { recursive: true });
    const choose = (value: string) =>
      `(() => {
        const choice = document.querySelector(".tools select");
        choice.value = "${value}";
        choice.dispatchEvent(new Event("change"));
      })()`;
    const views: Record<string, readonly [place: string, there: string, act?: string, then?: string]> = {
      overview: ["", "start-view .question"],
      runs: ["runs", "run-list a"],
      journal: ["journal", "journal-list a"],
      search: ["search?pattern=error%7Csum", ".group .number"],
      failed: ["fd:2", "fd-view .findings li"],
      running: ["ref:server", "fd-view .row.current"],
      compare: ["diff:fd:1:fd:2", ".half mark"],
      step: ["tx:1", ".half mark"],
      log: ["ref:log", ".bars"],
      matters: ["ref:log", ".bars", choose("matters"), ".gap"],
      folded: ["ref:log", ".bars", choose("folded"), ".fold-facts"],
      warnings: ["ref:log", ".bars", choose("warn"), ".row.warn"],
      more: [
        "fd:2",
        "fd-view .findings li",
        `[...document.querySelectorAll(".tools button")].at(-1).click()`,
        "dialog",
      ],
      again: ["fd:2", "fd-view .findings li", `document.querySelector("fd-view .again").click()`, "dialog"],
      keys: ["fd:2", "fd-view .findings li", `document.getElementById("keys").click()`, "dialog"],
    };
    for (const size of ["desktop", "phone"] as const) {
      for (const [view, [place, there, act, then = there]] of Object.entries(views)) {
        await page.resize(size === "desktop" ? 1280 : 390, 800);
        await page.value(`location.hash = "#${place}"`);
        await page.until(`document.querySelector(${JSON.stringify(there)}) !== null`);
        if (size === "desktop" && VIEWS_WITH_TOOLS.has(view)) await assertToolsInOneRow(page, view);
        if (act !== undefined) await page.value(act);
        await page.until(`document.querySelector(${JSON.stringify(then)}) !== null`);
        for (const scheme of ["light", "dark"] as const) {
          await page.prefer(scheme);
          const rules = scheme === "dark" ? COLOUR_RULES : undefined;
          assertEquals(await seriousFaults(page, rules), [], `${view}, ${size}, ${scheme}`);
          if (SCREENSHOTS !== undefined) {
            Deno.writeFileSync(join(SCREENSHOTS, `${view}-${size}-${scheme}.png`), await page.screenshot());
          }
        }
        const isWider = await page.value(`document.documentElement.scrollWidth > innerWidth`);
        assertEquals(isWider, false, `${view}, ${size}`);
        // A dialog changes nothing below it.
        for (const [width, height] of size === "phone" && then !== "dialog" ? PHONES : []) {
          await page.resize(width, height);
          const begins = await page.value<number | null>(
            `document.querySelector("#main-pane row-list")?.getBoundingClientRect().top ?? null`,
          );
          if (begins !== null) assertLess(begins, 160, `${view}, ${width} by ${height}`);
        }
        await page.value(`document.querySelector("dialog")?.close()`);
      }
    }
    await Deno.writeTextFile(gate, "");
    assertEquals(page.faults, []);
  },
);

Deno.test({
  name: "page: in a real browser",
  ignore: chromium === undefined,
  async fn(t) {
    using profile = makeWorld();
    await using browser = await startBrowser(chromium!, profile.path("chromium"));
    for (const [name, fn] of pageTests) {
      await t.step(name, async () => {
        using world = makeWorld();
        await fn(world, browser);
      });
    }
  },
});
