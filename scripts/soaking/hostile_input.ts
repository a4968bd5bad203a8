/**
 * Hostile input in this process: JSON for tools, plans, edits, patterns, names, paths, and invalid records with
 * valid checksums. Nothing crashes or hangs: every call answers, or fails with a typed failure and a
 * sentence.
 */

import { Buffer } from "node:buffer";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bindName, checkStore, putBytes } from "../../fd/mod.ts";
import { blockSumText } from "../../fd/bytes/block_sum.ts";
import { decodeObjectHeader, encodeObject, objectParts } from "../../fd/packs/object_form.ts";
import { toolsOf } from "../../src/agents/tool_table.ts";
import { listOperations } from "../../src/commands/rows.ts";
import { type FaultClass, trying } from "./fault_class.ts";
import { HOSTILE_NUMBERS, hostileValue, hostileWord, mostly } from "./hostile_words.ts";
import { called, calledTool, callsIn, type InnerWorld, innerWorld, must } from "./inner_world.ts";
import { type Choices, weighted } from "./random_choices.ts";

/** The tools that agents call. */
export const TOOLS = toolsOf(listOperations());

const OPERATIONS = ["create", "append", "overwrite", "insert", "replace", "replace_all", "mend", ""];
const OPERATION_KEYS =
  "content_block content_fd location_marker marker_type position find start_marker end_marker lines pages chars __proto__"
    .split(" ");

/** A plan, perhaps with fields of other kinds. */
export function plan(choices: Choices): Record<string, unknown> {
  const operation = () => ({
    type: choices.one(OPERATIONS),
    ...Object.fromEntries(
      Array.from({ length: choices.whole(0, 4) }, () => [
        choices.one(OPERATION_KEYS),
        mostly(choices, 5, choices.one([hostileWord(choices), "regex", "string", "before", "after", "old"])),
      ]),
    ),
  });
  const one = () => ({
    intent: mostly(choices, 5, "x"),
    target_file: mostly(choices, 8, choices.one(["f", "g", "new/er", hostileWord(choices)])),
    operations: mostly(choices, 8, Array.from({ length: choices.whole(0, 3) }, operation)),
    ...(choices.onceIn(4) ? { safety_checks: hostileValue(choices) } : {}),
  });
  return choices.onceIn(3) ? { intent: "x", plans: Array.from({ length: choices.whole(0, 3) }, one) } : one();
}

/** Arguments for a tool: its parameters with values of every kind, sometimes more, sometimes invalid JSON. */
export function toolText(choices: Choices, tool: (typeof TOOLS)[number]): string {
  const keys = [...Object.keys(tool.fields), "__proto__", "surplus"];
  const given = tool.name === "write_plan" ? plan(choices) : Object.fromEntries(
    Array.from({ length: choices.whole(0, 5) }, () => [
      choices.one(keys),
      mostly(choices, 4, hostileWord(choices)),
    ]),
  );
  const text = JSON.stringify(given);
  const texts = weighted(
    [1, () => text.slice(0, choices.whole(0, text.length))],
    [1, () => JSON.stringify(hostileValue(choices))],
    [1, () => "[".repeat(choices.whole(0, 20_000))],
    [1, () => `\`\`\`json\n${text}\n\`\`\``],
    [1, () => text.replaceAll('"', choices.one(["'", "“", '\\"']))],
    [5, () => text],
  );
  return choices.one(texts)();
}

function prepare(world: InnerWorld): void {
  const { store } = world;
  putBytes(store, Buffer.from("one\ntwo\nthree\n".repeat(4000)), { source: "soak", names: ["two"] });
  putBytes(store, Buffer.from("a".repeat(3000) + "!\n"), { source: "soak" });
  putBytes(store, Buffer.from(""), { source: "soak" });
  for (const name of ["f", "g"]) writeFileSync(world.path(name), "old\nlines\n");
  Deno.symlinkSync("loop", world.path("loop"));
  Deno.symlinkSync("f", world.path("link"));
  writeFileSync(world.path("plan.json"), JSON.stringify({ intent: "x", target_file: "f", operations: [] }));
}

const outsideOf = (world: InnerWorld) => readdirSync(join(world.files, "..")).sort().join();

async function inHostileWorld(run: (world: InnerWorld) => Promise<void>): Promise<void> {
  using world = innerWorld();
  prepare(world);
  // No word may cause a write outside the directory of files.
  const confined = { ...world, host: { ...world.host, root: world.files }, [Symbol.dispose]: () => {} };
  const before = outsideOf(world);
  await run(confined);
  must(outsideOf(world) === before, () => `something was made beside the root: ${outsideOf(world)}`);
}

export const hostileJson: FaultClass = {
  name: "json",
  what: "fuzzed JSON for every tool that agents call, plans and edits among them",
  round: (round) =>
    inHostileWorld(async ({ host }) =>
      await trying(250, (choices) => {
        const tool = choices.onceIn(3)
          ? TOOLS.find(({ name }) => name === "write_plan")!
          : choices.one(TOOLS);
        return calledTool(tool.name, toolText(choices, tool), host);
      })(round)
    ),
};

/** A log, perhaps that of an object, with one value changed, each line with a valid checksum. */
function forge(path: string, choices: Choices): void {
  const bytes = readFileSync(path);
  const header = decodeObjectHeader(bytes);
  if (typeof header === "string") return writeFileSync(path, forgedLog(bytes.toString(), choices));
  const { record, content, appended } = objectParts(bytes, header);
  const log = Buffer.from(forgedLog(Buffer.from(record).toString(), choices));
  const id = choices.onceIn(8) ? 3 - header.id % 3 : header.id;
  writeFileSync(path, Buffer.concat([encodeObject({ id, record: log, content }), appended]));
}

function forgedLog(text: string, choices: Choices): string {
  const lines = text.split("\n").filter((line) => line !== "").map((line) => line.slice(9));
  const at = choices.whole(0, lines.length - 1);
  const line = JSON.parse(lines[at]!);
  const key = choices.one(Object.keys(line));
  const number = choices.one(HOSTILE_NUMBERS);
  switch (choices.whole(0, 5)) {
    case 0:
      delete line[key];
      break;
    case 1:
      line[key] = hostileValue(choices);
      break;
    case 2:
      lines.splice(at, 0, JSON.stringify({ ...line, [key]: number }));
      break;
    case 3:
      line.event = choices.one(["claim", "seal", "digest", "tomb", "begin", "done", "prepared", "ghost"]);
      break;
    default:
      line[key] = typeof line[key] === "number" ? number : hostileValue(choices);
  }
  lines[at] = JSON.stringify(mostly(choices, 20, line));
  return lines.map((json) => `${blockSumText(Buffer.from(json))} ${json}\n`).join("");
}

const CALLS_AFTER_FORGERY = callsIn(
  "ls; stat fd:1; stat fd:2; read fd:1; read fd:1 --tail 3; read fd:1 --lines 2-5; " +
    "read fd:1 --mode char --start 70; read fd:1 --start 3; read fd:1 --all --extract; read fd:3 --all; " +
    "search fd:1 two -C 2; to-file fd:1 g; refs; log; plan show tx:1; undo tx:1; recover; inquiries; " +
    "cancel inq:1; verify; gc; rm fd:1; ls",
);

async function forgedRecord(choices: Choices): Promise<void> {
  using world = innerWorld();
  prepare(world);
  const { store, host } = world;
  await called(["stat", "fd:1"], host);
  await called(["rm", "fd:2"], host);
  await called(["edit", "f", "--old", "old", "--new", "new"], host);
  await called(["create", "asked"], host);
  const inside = (name: string) => join(store.path, "v2", name);
  const forged = choices.one([
    "fds/0000/1.rec",
    "fds/0000/1.rec",
    "fds/0000/2.rec",
    "fds/0000/3.rec",
    "journal/0000/1.rec",
    "inquiries/0000/1.rec",
    "fds/0000.listing",
  ]);
  // Few fds need no listing, and every check of the store reads all of them.
  if (forged.endsWith("listing")) {
    for (let n = 0; n < 66; n++) putBytes(store, Buffer.from("x\n"), { source: "soak" });
  }
  await called(["ls"], host);
  if (!existsSync(inside(forged))) throw new Error(`${forged} is not there`);
  if (forged.endsWith("listing")) {
    const [line = "", body = ""] = readFileSync(inside(forged), "utf8").split("\n");
    const head = JSON.parse(line.slice(9));
    const entries = JSON.parse(body.slice(0, head.parts[0][0]));
    const forgedPart = choices.onceIn(2) ? head : choices.one(entries) as Record<string, unknown>;
    forgedPart[choices.one(Object.keys(forgedPart))] = hostileValue(choices);
    const part = JSON.stringify(mostly(choices, 4, entries));
    if (forgedPart !== head) head.parts = [[Buffer.byteLength(part), blockSumText(Buffer.from(part))]];
    const json = JSON.stringify(mostly(choices, 8, head));
    writeFileSync(inside(forged), `${blockSumText(Buffer.from(json))} ${json}\n${part}`);
  } else forge(inside(forged), choices);
  const about = () => `${forged}: ${readFileSync(inside(forged), "utf8").slice(0, 2500)}`;
  try {
    for (const words of CALLS_AFTER_FORGERY) await called(words, host);
    await checkStore(store, { repair: true });
  } catch (thrown) {
    throw new Error(about(), { cause: thrown });
  }
  const { id } = putBytes(store, Buffer.from("next\n"), { source: "soak" });
  bindName(store, "after", id);
}

export const forgedRecords: FaultClass = {
  name: "records",
  what: "records, journal and caches that say nonsense under right checksums: typed failures, no hang",
  round: trying(25, forgedRecord),
};
