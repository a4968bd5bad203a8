/** Formats the results of a soak as a page. */

import { markdownTable } from "../result_pages.ts";
import type { ClassReport } from "./fault_class.ts";

/** The setting of the soak. */
export interface SoakSetting {
  seed: number;
  minutes: number;
  version: string;
  date: string;
  machine: string;
}

/** The command that repeats a finding. */
export function againCommand(name: string, seed: number): string {
  return `./scripts/soak 1 --only ${name} --seed ${seed}`;
}

/** The page: a table of classes, then what was found. */
export function soakReport(reports: readonly ClassReport[], setting: SoakSetting): string {
  const { seed, minutes, version, date, machine } = setting;
  const rows = reports.map(({ name, runs, wanted, seeds, seconds, skipped, findings }) => {
    if (skipped !== undefined) return [name, "–", wanted, "–", "–", `skipped: ${skipped}`].map(String);
    const range = seeds === undefined ? "–" : `${seeds.first}–${seeds.last}`;
    return [name, runs, wanted, range, seconds.toFixed(0), findings.length].map(String);
  });
  const about = reports.map(({ name, what, tally }) =>
    `- **${name}**: ${what}.${tally === undefined ? "" : ` Here: ${tally}.`}`
  );
  const found = reports.flatMap(({ name, findings }) =>
    findings.slice(0, 20).map(({ seed: at, what }) =>
      `### ${name}, seed ${at}\n\n\`\`\`\n${what.slice(0, 3000)}\n\`\`\`\n\n\`${againCommand(name, at)}\`\n`
    )
  );
  const total = reports.reduce((sum, { findings }) => sum + findings.length, 0);
  return [
    `# Soak, ${date}: ${total} findings`,
    "",
    `fdtool ${version}, ${minutes} minutes from seed ${seed}, on ${machine}.`,
    "",
    markdownTable(["class", "runs", "wanted", "seeds", "seconds", "findings"], rows),
    "",
    ...about,
    "",
    ...found,
  ].join("\n");
}
