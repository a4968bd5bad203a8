/**
 * Runs the Windows binary under Wine: contents, edits, commands and kills by chance. A directory is shared with this system,
 * so what it left can be looked at from outside.
 */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ILL_FORMED } from "../../tests/contents.ts";
import { runInWine, whyNoWine, type WineInput } from "../../tests/wine.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { must, sameBytes } from "./inner_world.ts";
import type { Choices } from "./random_choices.ts";

const PIECES = [
  "line\n",
  "line\r\n",
  "\r",
  "\n",
  "\0",
  "\x1a",
  "äöü€",
  "😀",
  "\x1b[31mred\x1b[0m",
  "\ufeff",
  "x".repeat(5000),
];

/** Bytes with what Windows treats in its own way: line ends, NUL, the old end of a file (0x1a). */
function someContent(choices: Choices, most: number): Uint8Array {
  let text = "";
  const length = choices.whole(0, most);
  while (text.length < length) text += choices.one(PIECES);
  const bytes = new TextEncoder().encode(text);
  return choices.onceIn(3) ? new Uint8Array([...bytes, ...ILL_FORMED[0]!]) : bytes;
}

/** One round's directory. */
interface Trial {
  dir: string;
  choices: Choices;
  call(words: readonly string[], input?: WineInput): ReturnType<typeof runInWine>;
}

async function storeAndRead({ choices, call }: Trial): Promise<void> {
  const content = someContent(choices, choices.one([50, 20_000, 200_000]));
  const stored = await call(["capture", "--always"], { stdin: content });
  const fd = new TextDecoder().decode(stored.out).trim();
  must(stored.code === 0 && /^fd:[0-9]+$/.test(fd), () => `capture: ${stored.code} ${fd} ${stored.err}`);
  const { out } = await call(["read", fd, "--all"]);
  must(sameBytes(out, content), () => `${fd}: ${out.length} bytes instead of ${content.length}`);
}

async function editAndUndo({ dir, choices, call }: Trial): Promise<void> {
  const end = choices.one(["\n", "\r\n"]);
  const name = choices.one(["f.txt", "sub dir\\g.txt", ".\\h.txt"]);
  const path = join(dir, name.replaceAll("\\", "/"));
  const lines = Array.from({ length: choices.whole(1, 300) }, (_, at) => `row ${at}`);
  const old = lines.join(end) + (choices.onceIn(2) ? end : "");
  Deno.mkdirSync(join(dir, "sub dir"), { recursive: true });
  Deno.writeTextFileSync(path, old);
  const row = choices.one(lines);
  const edits = { edits: [{ old_string: `${row}${end}`, new_string: `changed${end}` }] };
  const { code, err } = await call(["edit", name], { stdin: JSON.stringify(edits) });
  const wanted = old.replace(`${row}${end}`, `changed${end}`);
  if (wanted === old) return must(code !== 0, () => "an edit without a match was made");
  must(code === 0, () => `edit ${name}: ${err}`);
  must(Deno.readTextFileSync(path) === wanted, () => `edit ${name} made something else`);
  const undone = await call(["undo"]);
  must(undone.code === 0 && Deno.readTextFileSync(path) === old, () => `undo of ${name}: ${undone.err}`);
}

async function runCommand({ choices, call }: Trial): Promise<void> {
  const code = choices.whole(0, 255);
  const text = choices.one(["hi", "a b", "x & echo y", "a^b|c"]);
  const line = `echo "${text}"& exit ${code}`;
  const run = await call(
    choices.onceIn(2) ? ["run", "--shell", line] : ["run", "--", "cmd", "/d", "/s", "/c", line],
  );
  must(run.code === code, () => `${line} ended with ${run.code}: ${run.err}`);
  must(new TextDecoder().decode(run.out).includes(`"${text}"`), () => `${line} printed something else`);
}

/** Kills a capture that has stored some of its content. Before, Wine itself may be starting, and would not survive it. */
async function killCapture({ dir, choices, call }: Trial): Promise<void> {
  const content = new TextEncoder().encode(`killed ${"row ".repeat(12)}\n`.repeat(60_000));
  const fromBytes = storedBytes(dir) + choices.whole(1, content.length);
  const { wasKilled, code } = await call(["capture", "--always"], {
    stdin: content,
    killWhen: () => storedBytes(dir) >= fromBytes,
  });
  must(wasKilled || code === 0, () => `a capture ended with ${code}`);
}

function storedBytes(dir: string): number {
  let byteCount = 0;
  const store = join(dir, "store");
  if (!existsSync(store)) return 0;
  for (const name of readdirSync(store, { recursive: true, encoding: "utf8" })) {
    byteCount += statSync(join(store, name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return byteCount;
}

/** Each fd that was not killed is whole, and what a kill left is a beginning. */
async function everythingHolds({ call }: Trial): Promise<void> {
  const verified = await call(["verify", "--repair"]);
  must(verified.code === 0, () => `verify: ${new TextDecoder().decode(verified.out)}${verified.err}`);
  const again = await call(["verify"]);
  must(again.code === 0, () => `verify after a repair: ${new TextDecoder().decode(again.out)}${again.err}`);
}

const STEPS = [storeAndRead, editAndUndo, runCommand, killCapture];

export const underWine: FaultClass = {
  name: "under-wine",
  what:
    "the Windows binary under Wine: exact bytes, edits undone, exit codes, captures killed, a store that verifies",
  unable: whyNoWine,
  async round({ choices, attempt }: Round) {
    const dir = Deno.makeTempDirSync();
    const trial: Trial = { dir, choices, call: (words, input) => runInWine(dir, words, input) };
    try {
      for (let step = 0; step < 12; step++) {
        const run = choices.one(STEPS);
        await attempt(run.name, () => run(trial));
      }
      await attempt("verify", () => everythingHolds(trial));
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  },
};
