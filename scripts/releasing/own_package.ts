/**
 * The fields of the checkout's package.json that published packages and images repeat, and the web pages that follow
 * from its `repository`, which a publisher sets there and nowhere else.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The fields of package.json that published packages and images repeat. */
export interface OwnPackage {
  name: string;
  version: string;
  description: string;
  license: string;
  /** As Debian names maintainers, "NAME <MAIL>". Absent until a publisher sets it. */
  author?: string | undefined;
  keywords: readonly string[];
  dependencies: Readonly<Record<string, string>>;
  /** An https URL, or npm's object with one. Absent until a publisher sets it. */
  repository?: string | { type?: string | undefined; url: string } | undefined;
  /** A page of its own, if it has one. */
  homepage?: string | undefined;
}

/** The public pages of the project; all undefined if package.json names no repository. */
export interface WebPages {
  /** The repository's https URL without `.git`. */
  repository?: string | undefined;
  homepage?: string | undefined;
  bugs?: string | undefined;
}

/** Hosts that list issues at `REPOSITORY/issues` and show the README of `REPOSITORY#readme`. */
const FORGES: ReadonlySet<string> = new Set(["github.com", "gitlab.com", "codeberg.org"]);

/** Reads package.json of `checkout`. */
export function readOwnPackage(checkout: string): OwnPackage {
  return JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
}

/** The pages of `own`. Throws if its repository is not an https URL: a registry would show a link that leads nowhere. */
export function webPages({ repository, homepage }: OwnPackage): WebPages {
  if (repository === undefined) return { homepage };
  const written = typeof repository === "string" ? repository : repository.url;
  const address = written.replace(/^git\+/, "").replace(/(\.git)?\/?$/, "");
  if (!address.startsWith("https://") || !URL.canParse(address)) {
    throw new Error(`package.json: repository ${written} is not an https URL`);
  }
  const isForge = FORGES.has(new URL(address).hostname);
  return {
    repository: address,
    homepage: homepage ?? (isForge ? `${address}#readme` : address),
    bugs: isForge ? `${address}/issues` : undefined,
  };
}

/** The fields of a published package.json that name the project's pages. */
export function pageFields(own: OwnPackage): Record<string, unknown> {
  const { repository, homepage, bugs } = webPages(own);
  return {
    ...(homepage === undefined ? {} : { homepage }),
    ...(repository === undefined ? {} : { repository: { type: "git", url: `git+${repository}.git` } }),
    ...(bugs === undefined ? {} : { bugs: { url: bugs } }),
  };
}
