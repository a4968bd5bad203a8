/**
 * Damages a journal, a question and backups: `verify` reports it, and after any undo, recover or answer, a file has the
 * content of some step, or is unchanged.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { putBytes } from "../../fd/mod.ts";
import { DAMAGES } from "./damage.ts";
import { type FaultClass, trying } from "./fault_class.ts";
import { called, callsIn, type InnerWorld, innerWorld, must, passTime } from "./inner_world.ts";
import type { Choices } from "./random_choices.ts";

/** Contents of `f` before tx:1, between it and tx:2, and after tx:2. */
const STATES = ["first\n", "second\n", "third\n"] as const;
const EXPORTED = "a line of a log\n";

const FIRST_CALLS = callsIn(
  "edit f --old first --new second; edit f --old second --new third; to-file fd:1 g; create asked",
);

/** fd:1, three steps on two files, their backups, and an open question. */
async function prepare({ store, host, path }: InnerWorld): Promise<void> {
  putBytes(store, new TextEncoder().encode(EXPORTED), { source: "soak" });
  writeFileSync(path("f"), STATES[0]);
  for (const words of FIRST_CALLS) {
    const { failed } = await called(words, host);
    must(failed === undefined, () => `${words.join(" ")} failed: ${failed}`);
  }
}

/** The logs, and the records and contents of the backups; not fd:1, whose content a call uses. */
function filesOf({ store }: InnerWorld): string[] {
  return ["journal/0000", "inquiries/0000", "fds/0000"].flatMap((directory) => {
    const inside = join(store.path, "v2", directory);
    return readdirSync(inside).filter((name) => /\.(rec|dat)$/.test(name) && !name.startsWith("1."))
      .map((name) => join(inside, name));
  });
}

const CALLS = callsIn(
  "undo; undo f; undo g; undo tx:1; undo tx:2; undo tx:3; recover; log; log tx:2; inquiries; " +
    "answer inq:1 --content-from fd:1; cancel inq:1; verify; gc; edit f --old second --new third",
);

async function damageLogs(choices: Choices): Promise<void> {
  using world = innerWorld();
  await prepare(world);
  const { host, path, store } = world;
  const files = filesOf(world);
  const damaged = choices.one(files);
  const how = choices.one(DAMAGES)(damaged, choices, files);
  if (how === undefined) return;
  passTime(store);
  const done = [`${damaged.slice(store.path.length + 1)} ${how}`];
  const { outcome, failed } = await called(["verify", "--no-repair"], host);
  const reported = JSON.stringify(outcome?.answer ?? failed);
  // An fd is named by its record or by its content.
  const named = damaged.replace(/(rec|dat)$/, "");
  // Nothing else tells of the last fd if its content was in its record.
  const isLast = how === "gone" && damaged.endsWith("fds/0000/3.rec");
  must(reported.includes(named) || isLast, () => `${done[0]}: verify does not name it: ${reported}`);

  for (let n = 0; n < 4; n++) {
    const words = choices.one(CALLS);
    const before = readFileSync(path("f"), "latin1");
    const { failed } = await called(words, host);
    done.push(`${words.join(" ")}${failed === undefined ? "" : ` (${failed})`}`);
    const after = readFileSync(path("f"), "latin1");
    const about = () => `${done.join(", ")}: f held ${before} and holds ${after}`;
    must(STATES.some((state) => state === after), about);
    if (failed !== undefined) must(after === before, about);
    const step = /^tx:([12])$/.exec(words[1] ?? "")?.[1];
    if (words[0] === "undo" && step !== undefined && failed === undefined) {
      must(after === STATES[Number(step) - 1], about);
    }
    for (const name of ["g", "asked"]) {
      const content = existsSync(path(name)) ? readFileSync(path(name), "latin1") : EXPORTED;
      must(content === EXPORTED, () => `${done.join(", ")}: ${name} holds ${JSON.stringify(content)}`);
    }
  }
}

export const damagedLogs: FaultClass = {
  name: "damaged-logs",
  what: "the same with journal, questions and backups: named, and no file gets what it did not hold before",
  wanted: 2000,
  round: trying(20, damageLogs),
};
