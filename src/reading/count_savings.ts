/**
 * Counts what storing output saved: the chars that commands printed, less those that first answers showed and those that
 * were read later. Of outputs that no program was answered for, nothing is known, and nothing is claimed.
 */

import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type FdEntry, listFds, listShown, type Store, tallyOf } from "../../fd/mod.ts";
import type { FdFailure } from "../../fd/system.ts";
import { firstFew } from "../answers/parts/first_few.ts";
import { counted, groupedDigits } from "../answers/parts/grouped_digits.ts";
import type { Outcome } from "../calls/terms/command.ts";
import type { ReportOf, Saved } from "../calls/terms/reports.ts";

type Facts = ReportOf<"fd_stats">["facts"];

/** Projects and commands that are listed, of each. */
const MAX_LISTED = 20;
const DAY_MS = 86_400_000;

/** The savings of the last `days`. Records that cannot be read are reported as failures. */
export async function savingsOutcome(store: Store, days: number): Promise<Outcome> {
  const failures: FdFailure[] = [];
  await store.backend.refresh({ kind: "records", most: undefined });
  const entries = listFds(store, (failure) => failures.push(failure));
  const facts = factsOf(store, entries, new Date(Date.now() - (days - 1) * DAY_MS).toISOString());
  const { outputs, printed_chars: printed, saved_chars: saved } = facts;
  const ofOutputs = counted(outputs, "output", groupedDigits);
  const message = outputs === 0
    ? "No stored output was shown to a program in this time."
    : saved < 0
    ? `More was shown and read later than ${ofOutputs} had.`
    : `${Math.floor(100 * saved / Math.max(1, printed))} % of ${
      groupedDigits(printed)
    } chars in ${ofOutputs} saved.`;
  return { exitCode: failures.length === 0 ? 0 : 1, answer: { type: "fd_stats", facts, message }, failures };
}

/** Sources of what fdtool made of other fds. */
const DERIVED = /^(?:diff|query|(?:extract|search)(?:_text)?)$/;

function factsOf(store: Store, entries: readonly FdEntry[], since: string): Facts {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const storedChars = new Map<number, number>();
  const reread = new Map<number, FdEntry | undefined>();
  const all = noCounts();
  const groups = [new Map<string, Saved>(), new Map<string, Saved>(), new Map<string, Saved>()] as const;
  const [days, projects, commands] = groups;
  let answerCount = 0;
  for (const { day, id, charCount, storedChars: stored } of listShown(store)) {
    const root = rootOf(id, byId);
    const output = byId.get(root);
    if (output?.source.startsWith("answer of ") === true) continue;
    const before = storedChars.get(root);
    if (stored !== undefined) storedChars.set(id, Math.max(stored, before ?? 0));
    // A file that was read was stored for that, and is not output.
    else if (before === undefined && !DERIVED.test(output?.source ?? "")) continue;
    if (day < since.slice(0, day.length)) continue;
    // A command that still ran had printed less.
    const printed = Math.max(0, (stored ?? 0) - (before ?? 0));
    const [shown, later] = stored === undefined ? [0, charCount] : [charCount, 0];
    const names = [day, projectOf(output), commandOf(output)];
    for (const counts of [all, ...groups.map((group, at) => countsOf(group, names[at]!))]) {
      if (stored !== undefined && before === undefined) counts.outputs++;
      counts.printed_chars += printed;
      counts.shown_chars += shown;
      counts.later_chars += later;
      counts.saved_chars += printed - shown - later;
    }
    if (stored !== undefined) continue;
    answerCount++;
    if (before !== undefined) reread.set(root, output);
  }
  const listed = (counts: ReadonlyMap<string, Saved>) =>
    firstFew([...counts.values()].sort((a, b) => b.saved_chars - a.saved_chars), MAX_LISTED);
  const [project, command] = [listed(projects), listed(commands)];
  const { of: _, ...sums } = all;
  return {
    since: since.slice(0, "2026-01-31".length),
    ...sums,
    later_answers: answerCount,
    reread_outputs: reread.size,
    reread_ms: [...reread.values()].reduce((sum, entry) => sum + (entry?.durationMs ?? 0), 0),
    stored_bytes: entries.reduce((sum, { byteCount }) => sum + byteCount, 0),
    disk_bytes: tallyOf(entries).bytes,
    day: [...days.values()],
    project: project.shown,
    more_projects: project.more,
    command: command.shown,
    more_commands: command.more,
  };
}

function noCounts(of = ""): Saved {
  return { of, outputs: 0, printed_chars: 0, shown_chars: 0, later_chars: 0, saved_chars: 0 };
}

/** The counts of one thing, made when it is first asked for. */
function countsOf(group: Map<string, Saved>, of: string): Saved {
  const known = group.get(of) ?? noCounts(of);
  group.set(of, known);
  return known;
}

/** The fd that `id` is a part of, as far as records say. */
function rootOf(id: number, byId: ReadonlyMap<number, FdEntry>): number {
  for (let root = id;;) {
    const parent = byId.get(root)?.parent;
    // A parent has a lower id, unless its record is damaged.
    if (parent === undefined || parent.id >= root) return root;
    root = parent.id;
  }
}

const REMOVED = "(removed)";

/** The repository that the command ran in, if it is still there, or its directory. */
function projectOf(entry: FdEntry | undefined): string {
  if (entry === undefined) return REMOVED;
  const { cwd = "" } = entry;
  for (let directory = cwd; directory.startsWith("/") && directory !== "/"; directory = dirname(directory)) {
    if (existsSync(`${directory}/.git`)) return directory;
  }
  return cwd;
}

/** Programs whose first word says what they do. */
const MANIFOLD = /^(?:git|gh|npm|npx|pnpm|yarn|cargo|go|docker|kubectl|deno|bun|uv|dotnet|terraform)$/;

/** The program, and its subcommand. */
function commandOf(entry: FdEntry | undefined): string {
  if (entry === undefined) return REMOVED;
  const { command: words, source } = entry;
  if (words === undefined) return `(${source})`;
  const [first = "", flag = "", script = ""] = words;
  const line = /^(?:.*\/)?(?:ba|da|z)?sh$/.test(first) && /^-\w*c$/.test(flag) ? script : words.join(" ");
  // After a change of directory, and variables.
  const called = line.replace(/^(?:\s*(?:cd\s[^;&|]*(?:&&|;)|\w+=\S*\s))*\s*/, "").split(/\s+/);
  const program = basename(called[0] ?? "");
  return MANIFOLD.test(program) ? `${program} ${called[1] ?? ""}`.trim() : program;
}
