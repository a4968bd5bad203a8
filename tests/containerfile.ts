/**
 * Builds what a Containerfile describes into a directory, as far as that needs no registry: its COPY steps, with files of
 * this system in place of those of a base image. Instructions that it does not know are errors.
 */

import { basename, dirname, join } from "node:path";

/** The settings of the image of the Containerfile's last stage. */
export interface BuiltImage {
  entrypoint: readonly string[];
  env: Readonly<Record<string, string>>;
  labels: Readonly<Record<string, string>>;
  user: string;
  volumes: readonly string[];
  /** The files that were copied, by their paths in the image. */
  files: readonly string[];
}

/** How to build. */
export interface ImageBuild {
  /** The text of the Containerfile. */
  text: string;
  /** `--build-arg`s. */
  args?: Readonly<Record<string, string>> | undefined;
  /** Files copied without `--from`: paths by their names in the context. */
  context: Readonly<Record<string, string>>;
  /** The directory that becomes the image's root. */
  root: string;
}

/** An instruction and its words. */
interface Step {
  instruction: string;
  words: readonly string[];
}

/** One stage: what it is built from, and its steps. */
interface Stage {
  base: string;
  steps: Step[];
}

/** The steps of the Containerfile by stage, the last one as "". Variables before the first stage are replaced. */
function stagesOf(text: string, args: Readonly<Record<string, string>>): Map<string, Stage> {
  const variables: Record<string, string> = {};
  const stages = new Map<string, Stage>();
  let current: Stage | undefined;
  const lines = text.replaceAll("\\\n", " ").split("\n").map((line) => line.trim());
  for (const line of lines.filter((line) => line !== "" && !line.startsWith("#"))) {
    const filled = line.replace(
      /\$\{(\w+)(?::-(\w+))?\}/g,
      (_, name: string, otherwise = "") => variables[name] ?? otherwise,
    );
    // A label's quoted text is one word.
    const [instruction = "", ...words] = filled.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
    if (instruction === "ARG") {
      if (current !== undefined) throw new Error(`only before the first FROM: ${line}`);
      const [name = "", value] = (words[0] ?? "").split("=");
      const given = args[name] ?? value;
      if (given !== undefined) variables[name] = given;
    } else if (instruction === "FROM") {
      current = { base: words[0] ?? "", steps: [] };
      stages.set(words[2] ?? "", current);
    } else if (current === undefined) throw new Error(`before any FROM: ${line}`);
    else current.steps.push({ instruction, words });
  }
  return stages;
}

/** The steps of the last stage after those of the stages that it builds on, down to an empty image. */
function stepsOfLastStage(stages: ReadonlyMap<string, Stage>): Step[] {
  const steps: Step[] = [];
  for (let name = ""; name !== "scratch";) {
    const stage = stages.get(name);
    if (stage === undefined) throw new Error(`no stage ${name}, and no registry is asked`);
    steps.unshift(...stage.steps);
    name = stage.base;
  }
  return steps;
}

/** Performs the steps of the last stage. A stage that is copied from is taken for this system. */
export function buildImage({ text, args = {}, context, root }: ImageBuild): BuiltImage {
  const image = {
    entrypoint: [] as string[],
    env: {} as Record<string, string>,
    labels: {} as Record<string, string>,
    user: "",
    volumes: [] as string[],
  };
  const files: string[] = [];
  for (const { instruction, words } of stepsOfLastStage(stagesOf(text, args))) {
    const [first = ""] = words;
    if (instruction === "COPY") {
      const options = words.filter((word) => word.startsWith("--"));
      const paths = words.filter((word) => !word.startsWith("--"));
      const fromStage = options.some((option) => option.startsWith("--from="));
      const mode = options.map((option) => /^--chmod=(\d+)$/.exec(option)?.[1]).find((found) => found);
      for (const source of paths.slice(0, -1)) {
        const target = targetOf(source, paths.at(-1) ?? "");
        const origin = fromStage ? source : context[source];
        if (origin === undefined) throw new Error(`${source} is not among the released files`);
        copy(origin, join(root, target), mode === undefined ? undefined : parseInt(mode, 8));
        files.push(target);
      }
    } else if (instruction === "ENV" || instruction === "LABEL") {
      const settings = instruction === "ENV" ? image.env : image.labels;
      const [, name = "", value = ""] = /^([^=]*)="?([^"]*)"?$/.exec(first) ?? [];
      settings[name] = value;
    } else if (instruction === "USER") image.user = first;
    else if (instruction === "VOLUME") image.volumes.push(first);
    else if (instruction === "WORKDIR") Deno.mkdirSync(join(root, first), { recursive: true });
    else if (instruction === "ENTRYPOINT") image.entrypoint = JSON.parse(words.join(" "));
    else throw new Error(`unknown instruction: ${instruction} ${words.join(" ")}`);
  }
  return { ...image, files };
}

function targetOf(source: string, destination: string): string {
  return destination.endsWith("/") ? join(destination, basename(source)) : destination;
}

/** Copies a file, symlinks followed; a directory becomes an empty one, as it is in a base image. */
function copy(from: string, to: string, mode: number | undefined): void {
  Deno.mkdirSync(dirname(to), { recursive: true });
  if (Deno.statSync(from).isDirectory) {
    Deno.mkdirSync(to);
    return;
  }
  Deno.copyFileSync(from, to);
  if (mode !== undefined) Deno.chmodSync(to, mode);
}
