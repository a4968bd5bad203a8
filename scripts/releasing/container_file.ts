/** The Containerfile of a release: how to build it, and labels that say what is in the image. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type OwnPackage, readOwnPackage, webPages } from "./own_package.ts";

/** Returns the text of the Containerfile, with labels from package.json at its end. */
export function containerFile(checkout: string): string {
  const template = readFileSync(join(checkout, "scripts", "releasing", "Containerfile"), "utf8");
  const labels = Object.entries(imageLabels(readOwnPackage(checkout)));
  return `${template}${labels.map(([name, value]) => `LABEL ${name}="${value}"\n`).join("")}`;
}

/** The labels of the OCI image format that hold for every build of a release. */
export function imageLabels(own: OwnPackage): Record<string, string> {
  const { repository, homepage } = webPages(own);
  const known = {
    title: own.name,
    description: own.description,
    version: own.version,
    licenses: own.license,
    source: repository,
    url: homepage,
    documentation: homepage,
  };
  const labels: Record<string, string> = {};
  for (const [name, value] of Object.entries(known)) {
    if (value === undefined) continue;
    if (/["$\\\n]/.test(value)) throw new Error(`package.json: ${value} cannot be a label as it is`);
    labels[`org.opencontainers.image.${name}`] = value;
  }
  return labels;
}
