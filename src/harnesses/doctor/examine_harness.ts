/**
 * Examines fdtool's program, and one harness: where fdtool is installed, whether the settings are current, and the
 * harness's version and own settings.
 */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ifPossible } from "../../../fd/system.ts";
import type { Host } from "../../calls/terms/command.ts";
import { type ChangedText, isTurnedOff, withoutParts, withParts } from "../change_text.ts";
import {
  type Finding,
  type Harness,
  note,
  ok,
  problem,
  type Remark,
  type Scope,
  type Setup,
  type WiringSpec,
} from "../harness.ts";
import { ownName, setupOf } from "../settings_order.ts";
import { findProgram } from "../../calls/streams/find_program.ts";

/** Examines the fdtool that harnesses start. */
export function examineProgram({ version, cwd, env }: Host): Finding {
  const about = "fdtool";
  const found = findProgram("fdtool", cwd, env["PATH"]);
  if (found.kind !== "program") {
    const mend = `ln -s ${
      ownName(cwd, env["PATH"])
    } /usr/local/bin/fdtool, or into another directory of PATH`;
    return { about, ...note(`version ${version}; fdtool is not on PATH`, mend) };
  }
  const other = reportedVersion(found.path, { cwd, env });
  if (other === version) return { about, ...ok(`version ${version} at ${found.path}`) };
  const what = `this is version ${version}, but harnesses start ${found.path}, which is ${
    other ?? "of unknown version"
  }`;
  return { about, ...problem(what, `remove ${found.path}, or replace it with this version`) };
}

/** Examines one harness. With `isAsked` (named by the caller), "not installed" is reported too. */
export function examineHarness(harness: Harness, host: Host, isAsked: boolean): Finding[] {
  const findings: Remark[] = [];
  const installed: WiringSpec["via"][] = [];
  const seen = new Set<string>();
  const hasHome = (host.env["HOME"] ?? "") !== "";
  for (const scope of SCOPES) {
    const setup = setupOf(host, scope);
    if (scope === "user" && !hasHome) continue;
    const wirings = harness.wirings.filter(({ scopes }) => scopes.includes(scope));
    for (const each of wirings) {
      let isNamed = false;
      for (const wiring of [each, each.needs?.(setup) ?? []].flat()) {
        // In the home directory, the project's file may be the user's.
        const path = `${wiring.via} ${resolve(host.cwd, wiring.path(setup))}`;
        const found = seen.has(path) ? undefined : examineWiring(harness, wiring, setup);
        if (found === undefined) continue;
        seen.add(path);
        if (wiring === each) isNamed = true;
        if (isNamed) installed.push(wiring.via);
        findings.push(isNamed ? found : unnamed(harness, wiring.path(setup), each, setup));
      }
    }
  }
  if (findings.length === 0 && !isAsked) return [];
  const version = versionOf(harness, host);
  const setup = setupOf(host, "user");
  const all = [
    ...examineVersion(harness, version),
    ...findings.length === 0 ? [note("fdtool is not installed", `fdtool install ${harness.name}`)] : findings,
    // Its own settings are the user's.
    ...hasHome
      ? harness.inspect?.({ setup, installed, version, read: (path) => read(path, host.cwd) }) ?? []
      : [],
  ];
  // An invalid file is in the way of each wiring.
  return all.filter(({ what }, at) => all.findIndex((other) => other.what === what) === at)
    .map((finding) => ({ about: harness.name, ...finding }));
}

const SCOPES = ["user", "project"] as const satisfies readonly Scope[];

/** A script that an install wrote, and whose setting is gone. */
function unnamed({ name }: Harness, script: string, named: WiringSpec, setup: Setup): Remark {
  const words = `${name} --via ${named.via}`;
  return note(
    `no command goes through ${script}: ${named.path(setup)} does not name it`,
    `fdtool install ${words}, or fdtool uninstall ${words}`,
  );
}

/** Returns undefined if it is not installed. */
function examineWiring(harness: Harness, wiring: WiringSpec, setup: Setup): Remark | undefined {
  const path = wiring.path(setup);
  const text = read(path, setup.cwd);
  if (text === undefined) return undefined;
  // Rules are optional, and may be the user's: they prove no installation.
  const needed = wiring.parts({ ...setup, hasRules: false });
  const without = withoutParts(text, needed);
  if (without.kind === "unchanged") return undefined;
  const words = [harness.name, ...setup.scope === "project" ? ["--project"] : [], "--via", wiring.via].join(
    " ",
  );
  if (without.kind === "refused") return refusal(path, without);
  const how = `installed (${wiring.label ?? wiring.via}) in ${path}`;
  if (needed.some((part) => isTurnedOff(text, part))) {
    const mend = `set enabled = true for the server fdtool in ${path}`;
    return problem(`${how}, but its server is turned off there`, mend);
  }
  const wanted = withParts(text, needed);
  switch (wanted.kind) {
    case "unchanged": {
      const hasRules = withParts(text, wiring.parts(setup)).kind === "unchanged";
      return ok(hasRules ? how : `${how}, without all of its permission rules`);
    }
    case "changed":
      return problem(`${how}, but not as this version of fdtool installs it`, `fdtool install ${words}`);
    case "refused":
      return wanted.isOther !== true ? refusal(path, wanted) : problem(
        `${how} by another version of fdtool, or for another program or store`,
        `fdtool uninstall ${words} && fdtool install ${words}`,
      );
  }
}

function refusal(
  path: string,
  { language, problems: [first] }: Extract<ChangedText, { kind: "refused" }>,
): Remark {
  const column = first?.column === undefined ? "" : `, column ${first.column}`;
  const at = first === undefined ? "" : `, line ${first.lineNumber}${column}: ${first.problem}`;
  const what = language === undefined ? `fdtool cannot change ${path}` : `${path} is not valid ${language}`;
  return problem(`${what}${at}`, `correct ${path} by hand`);
}

function read(path: string, cwd: string): string | undefined {
  return ifPossible(() => readFileSync(resolve(cwd, path), "utf8").replace(/^\uFEFF/, ""));
}

function versionOf({ program }: Harness, { cwd, env }: Host): string | undefined {
  if (program === undefined) return undefined;
  const found = findProgram(program, cwd, env["PATH"]);
  if (found.kind !== "program") return undefined;
  return reportedVersion(found.path, { cwd, env });
}

function examineVersion({ title, program, ranWith }: Harness, version: string | undefined): Remark[] {
  if (program === undefined) return [];
  if (version === undefined) {
    return [note(`${program} was not found on PATH, or reports no version, so its version was not checked`)];
  }
  if (version === ranWith) return [ok(`${title} ${version}`)];
  const what = `${title} ${version}; fdtool was last run with ${ranWith ?? "no version"}`;
  return [note(what, "if something looks wrong, compare with docs/agents.md")];
}

const MAX_MS = 20_000;

/** Returns the version that a program prints, or undefined if it prints nothing like a version. */
function reportedVersion(path: string, { cwd, env }: Pick<Host, "cwd" | "env">): string | undefined {
  const { stdout } = spawnSync(path, ["--version"], {
    cwd,
    env: { ...env },
    encoding: "utf8",
    timeout: MAX_MS,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return /\d+(?:\.\d+)+(?:[-+][-+.\w]*\w)?/.exec(stdout ?? "")?.[0];
}
