/**
 * Builds what a Containerfile describes into a directory, as far as that needs no registry: its COPY steps, with files of
 * this system in place of those of a base image. Instructions that it does not know are errors.
 *
 * @module
 */

import { basename, dirname, join } from "node:path";

/** The settings of the image in the Containerfile's last stage. */
export interface BuiltImage {
  entrypoint: readonly string[];
  env: Readonly<Record<string, string>>;
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

/** Performs the steps of the last stage. Every other stage is taken for this system. */
export function buildImage({ text, args = {}, context, root }: ImageBuild): BuiltImage {
  const variables: Record<string, string> = {};
  const image = {
    entrypoint: [] as string[],
    env: {} as Record<string, string>,
    user: "",
    volumes: [] as string[],
  };
  const files: string[] = [];
  let base: string | undefined;
  const lines = text.replaceAll("\\\n", " ").split("\n").map((line) => line.trim());
  for (const line of lines) {
    if (line === "" || line.startsWith("#")) continue;
    const [instruction = "", ...words] = line.replace(
      /\$\{(\w+)\}/g,
      (_, name: string) => variables[name] ?? "",
    ).split(/\s+/);
    const [first = ""] = words;
    if (instruction === "ARG") {
      const [name = "", value] = first.split("=");
      variables[name] = args[name] ?? value ?? variables[name] ?? "";
    } else if (instruction === "FROM") base = first;
    else if (base === undefined) throw new Error(`before any FROM: ${line}`);
    else if (base !== "scratch") throw new Error(`in a stage that is only copied from: ${line}`);
    else if (instruction === "COPY") {
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
    } else if (instruction === "ENV") {
      const [name = "", value = ""] = first.split("=");
      image.env[name] = value;
    } else if (instruction === "USER") image.user = first;
    else if (instruction === "VOLUME") image.volumes.push(first);
    else if (instruction === "WORKDIR") Deno.mkdirSync(join(root, first), { recursive: true });
    else if (instruction === "ENTRYPOINT") image.entrypoint = JSON.parse(words.join(" "));
    else throw new Error(`unknown instruction: ${line}`);
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
