/** Small changes of an output that leave its facts in it. What an answer shows should not hang on them. */

export interface Perturbation {
  name: string;
  /** Changes the lines, which have no line ends; all but the last end in `\n` when they are joined. */
  change: (lines: readonly string[]) => readonly string[];
}

export const PERTURBATIONS: readonly Perturbation[] = [
  { name: "time stamps", change: (lines) => each(lines, (line, at) => `${stamp(at)} ${line}`) },
  { name: "prefix of a container", change: (lines) => each(lines, (line) => `web-1  | ${line}`) },
  { name: "CRLF", change: (lines) => each(lines, (line) => `${line}\r`) },
  { name: "colours", change: (lines) => each(lines, (line) => line.replace(/\S+/, "\x1b[1;36m$&\x1b[0m")) },
  { name: "first line lost", change: (lines) => lines.slice(1) },
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
