/** Small changes of an output that leave its facts in it. What an answer shows should not hang on them. */

export interface Perturbation {
  name: string;
  /** Changes the lines, which have no line ends; all but the last end in `\n` when they are joined. */
  change: (lines: readonly string[]) => readonly string[];
}

export const PERTURBATIONS: readonly Perturbation[] = [
  { name: "time stamps", change: (lines) => each(lines, (line, at) => `${stamp(at)} ${line}`) },
  { name: "prefix of a container", change: (lines) => each(lines, (line) => `web-1  | ${line}`) },
  { name: "name of a service", change: (lines) => each(lines, (line) => `[billing] ${line}`) },
  { name: "name of a service and a bar", change: (lines) => each(lines, (line) => `web  | ${line}`) },
  { name: "name of a task", change: (lines) => each(lines, (line) => `shop:test: ${line}`) },
  {
    name: "name of a pod",
    change: (lines) => each(lines, (line) => `[pod/web-7d9f8c6b54-x2x4z/app] ${line}`),
  },
  { name: "number of a step", change: (lines) => each(lines, (line) => `[1/4] ${line}`) },
  { name: "time and level", change: (lines) => each(lines, (line, at) => `${stamp(at)} INFO ${line}`) },
  {
    name: "time of a CI job",
    change: (lines) => each(lines, (line, at) => `build\ttest\t${stamp(at)} ${line}`),
  },
  {
    name: "journal",
    change: (lines) => each(lines, (line, at) => `Nov 25 10:00:${10 + at % 50} build7 app[812]: ${line}`),
  },
  {
    name: "step of a container's build",
    change: (lines) => each(lines, (line, at) => `#12 ${(at * 0.127).toFixed(3)} ${line}`),
  },
  { name: "CRLF", change: (lines) => each(lines, (line) => `${line}\r`) },
  { name: "colours", change: (lines) => each(lines, (line) => line.replace(/\S+/, "\x1b[1;36m$&\x1b[0m")) },
  { name: "first line lost", change: (lines) => lines.slice(1) },
  { name: "another log before", change: (lines) => [...INSTALL_LOG, ...lines] },
  { name: "a line added", change: (lines) => ["Running on build-7 since Monday", ...lines] },
];

export function perturb(text: string, { change }: Perturbation): string {
  return change(text.split("\n")).join("\n");
}

/** Changes all lines but what follows the last line feed, if it is empty. */
function each(lines: readonly string[], change: (line: string, at: number) => string): string[] {
  return lines.map((line, at) => line === "" && at === lines.length - 1 ? line : change(line, at));
}

/** The time of the line `at`: pauses of 3 to 250 ms that look like those of a real run. */
function stamp(at: number): string {
  return new Date(Date.UTC(2026, 2, 2, 10) + at * 127 + (at * 7919) % 124).toISOString();
}

/** The log of another tool, with warnings. */
const INSTALL_LOG = [
  ...Array.from(
    { length: 30 },
    (_, at) =>
      `npm warn deprecated ${
        "glob rimraf inflight har request uuid".split(" ")[at % 6]
      }@${at}.1.2: no longer supported`,
  ),
  ...Array.from(
    { length: 60 },
    (_, at) => `npm http fetch GET 200 https://registry.npmjs.org/pkg-${at} ${at * 7}ms (cache miss)`,
  ),
  "added 812 packages, and audited 813 packages in 12s",
  "112 packages are looking for funding",
  "  run `npm fund` for details",
  "found 0 vulnerabilities",
];
