/**
 * Promise: the page of `fdtool ui` works in a real browser, by keyboard alone, with content longer than an element can be
 * high, and shows content as text only. Skipped if Chromium is not installed.
 */

import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { type BrowserPage, chromiumPath, startBrowser } from "./browser.ts";
import { startUi } from "./ui_server.ts";
import { CHECKOUT, makeWorld, type World } from "./world.ts";

const chromium = chromiumPath();
/** 60 million pixels at 20 a line: browsers end an element at 17 to 33 million. */
const LINES = 3_000_000;

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

async function opened(world: World, words: readonly string[]) {
  const ui = await startUi(world, words);
  const page = await startBrowser(chromium!, join(world.home, "chromium"));
  await page.open(ui.url);
  return { ui, page };
}

Deno.test({
  name: "page: any fd is scrolled, searched and left by keyboard",
  ignore: chromium === undefined,
  fn: async () => {
    using world = makeWorld();
    await world.run(["capture", "--always", "--name", "big"], { stdin: bigLog() });
    const { ui, page } = await opened(world, []);
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
    assertStringIncludes(await page.value(`document.querySelector(".row.current").textContent`), "2,999,999");
    assertEquals(
      await page.value(`document.getElementById(document.querySelector(".scroller")
        .getAttribute("aria-activedescendant")).getAttribute("aria-posinset")`),
      "2999999",
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
  },
});

Deno.test({
  name: "page: content is text, runs are compared, a running command is followed",
  ignore: chromium === undefined,
  fn: async () => {
    using world = makeWorld();
    const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    await world.run(["run", "--always", "--", "printf", "%s\\n", hostile, "\x1b[31mred\x1b[0m"]);
    await world.run(["run", "--always", "--", "printf", "%s\\n", hostile, "green"]);
    const gate = world.path("gate");
    await world.shell(`mkfifo ${gate}`);
    await world.run(["run", "--background", "--shell", "--", `echo first; cat ${gate}; exit 3`]);
    const { ui, page } = await opened(world, []);
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
    await page.until(`document.querySelector(".follow input")?.checked === true`);
    await Deno.writeTextFile(gate, Array.from({ length: 500 }, (_, at) => `new ${at}\n`).join(""));
    await page.until(`document.querySelector(".fd-head .ending")?.textContent === "exit 3"`);
    await page.until(`${ROWS}.some(([, text]) => text === "new 499")`);
    await page.until(`document.querySelector("run-list .ending").textContent === "exit 3"`);
    assert(!(await page.value<string>("document.title")).includes("owned"));
    assertEquals(page.faults, []);
  },
});

Deno.test({
  name: "page: undo asks first, in the colours that the reader prefers, and only if it is allowed",
  ignore: chromium === undefined,
  fn: async () => {
    using world = makeWorld();
    world.write("a.txt", "one\ntwo\n");
    await world.run(["edit", "a.txt", "--old", "two", "--new", "three", "--yes"]);
    const { ui, page } = await opened(world, ["--allow-undo"]);
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
});

/** The sources of accessibility checks, as the page's own policy loads none. */
const AXE = Deno.readTextFileSync(join(CHECKOUT, "node_modules", "axe-core", "axe.min.js"));

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

/** Findings of axe of weight serious or more, as texts. */
async function seriousFaults(page: BrowserPage): Promise<string[]> {
  await page.value(`${AXE}; true`);
  const violations = await page.value<Violation[]>(`axe.run(document).then(({ violations }) => violations)`);
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, impact, nodes }) =>
      `${impact} ${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(" | ")}`
    );
}

const SHOWN_LINE = `document.querySelector(".row.current .text")?.textContent`;

Deno.test({
  name:
    "page: a failed run opens at the line that matters, in its colours, with all findings and what changed",
  ignore: chromium === undefined,
  fn: async () => {
    using world = makeWorld();
    const hay = Array.from({ length: 4000 }, (_, at) => `compiled part ${at}`).join("\n");
    const error = (name: string) => `\x1b[1;31merror\x1b[0m: cannot find value \`${name}\` in this scope`;
    world.write("one", `${hay}\n${error("tarif")}\n${hay}\n`);
    await world.shell("fdtool run -- sh -c 'cat one; exit 1' >first.txt");
    world.write("one", `${hay}\n${hay}\nfatal: disk full\n${error("freigt")}\n${hay}\n`);
    await world.shell("fdtool run -- sh -c 'cat one; exit 1' >second.txt");
    world.write("a.txt", "one\n");
    await world.run(["edit", "a.txt", "--old", "one", "--new", "two"]);
    await world.run(["create", "b.txt"]);
    const { ui, page } = await opened(world, []);
    await using _ui = ui;
    await using _page = page;

    await page.until(`document.querySelectorAll("start-view section").length === 5`);
    assertEquals(
      await page.value(`[...document.querySelectorAll("start-view .items a b")].map((b) => b.textContent)`),
      [
        "fd:2",
        "fd:1",
        "tx:1",
      ],
    );
    assertStringIncludes(
      await page.value(`document.querySelector("start-view .question").textContent`),
      "b.txt",
    );
    assertEquals(await seriousFaults(page), []);

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
    assertEquals(
      await page.value(`document.querySelector(".change a").getAttribute("href")`),
      "#diff:fd:1:fd:2",
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
    const content = await page.value<string>(
      `fetch(document.querySelector("a[download]").href).then((answer) => answer.text())`,
    );
    assertEquals(content, world.text("one"), "the download is exact");

    for (const scheme of ["light", "dark"] as const) {
      await page.prefer(scheme);
      for (
        const [place, there] of [["fd:2", "fd-view .row.current"], ["diff:fd:1:fd:2", ".half"], [
          "tx:1",
          ".file",
        ]]
      ) {
        await page.value(`location.hash = "#${place}"`);
        await page.until(`document.querySelector(${JSON.stringify(there)}) !== null`);
        assertEquals(await seriousFaults(page), [], `${place}, ${scheme}`);
      }
    }
    await page.resize(390, 800);
    await page.value(`location.hash = "#fd:2"`);
    await page.until(`document.querySelector("fd-view .row.current") !== null`);
    assertEquals(await seriousFaults(page), [], "on a phone");
    assertEquals(page.faults, []);
  },
});
