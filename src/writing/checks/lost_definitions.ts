/** Names the functions, classes and headings that a write removes, so that none is lost unnoticed. */

import { firstBytes } from "../../../fd/mod.ts";
import { KEYWORD, MODIFIER } from "../../findings/outline/outline_source.ts";
import { listFew } from "../../answers/parts/first_few.ts";

const MARKDOWN = /\.(?:md|markdown|mdx)$/i;
/** Files of text and data, whose lines may look like definitions. */
const OTHER =
  /\.(?:txt|text|rst|adoc|json\w?|[ct]sv|ya?ml|toml|ini|log|out|diff|patch|html?|xml|svg|s?css|less|snap|golden)$/i;
const HEADING = /^(#{1,6} .*\S)/;
const CONTROL =
  "if|for|foreach|while|switch|catch|else|return|do|try|with|match|using|lock|elif|elsif|when|unless|until|function|func|new|throw|await|case";
const VALUE = "(?:async *)?(?:function\\b|\\w+ *=>|\\([^()]*\\)[^=;]*=>)";
/** A definition by its keyword, a value that is a function, or a function or method by its head and brace. */
const DEFINITION = new RegExp(
  `^\\s*(?:(?:${MODIFIER}) +)*(?:${KEYWORD})\\b\\*? +(?:\\([^)]*\\) )?([\\w$]+(?:[.:]+\\w+)*)(?:\\s*[(<{:[;=!?]|\\s*$|\\s+(?:extends|implements|for|where|do|struct|interface)\\b)` +
    `|^\\s*(?:export )?(?:const|let|var) ([\\w$]+)(?: *:[^=]+)? *= *${VALUE}` +
    `|^\\s*(?!(?:${CONTROL})\\b)(?:[\\w<>[\\],.?*&:~]+ +){0,6}[*&]?(?!(?:${CONTROL})\\b)([\\w$:~#]+) ?\\([^;{}]*\\)[^;{}()=]*\\{\\s*$`,
);
/** Larger files are not searched. */
const MAX_BYTES = 2 ** 20;
const MAX_NAMES = 8;

/** Content in pieces. */
interface Content {
  chunks(): Iterable<Uint8Array>;
}

/** The names that `content` defines; undefined if it is too large. */
function namesIn(content: Content, pattern: RegExp): Set<string> | undefined {
  const bytes = firstBytes(content.chunks(), MAX_BYTES + 1);
  if (bytes.length > MAX_BYTES) return undefined;
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/).filter(({ length }) => length < 300);
  return new Set(
    lines.flatMap((line) => pattern.exec(line)?.slice(1).find((name) => name !== undefined) ?? []),
  );
}

/** A sentence that names what `before` defines and `after` does not; none if as many names are new, which may be renamed. */
export function lostDefinitions(path: string, before: Content, after: Content): string[] {
  if (OTHER.test(path)) return [];
  const pattern = MARKDOWN.test(path) ? HEADING : DEFINITION;
  const old = namesIn(before, pattern);
  const current = old === undefined || old.size === 0 ? undefined : namesIn(after, pattern);
  if (old === undefined || current === undefined) return [];
  const lost = [...old].filter((name) => !current.has(name));
  if (lost.length <= [...current].filter((name) => !old.has(name)).length) return [];
  return [`No longer in ${path}: ${listFew(lost, MAX_NAMES)}.`];
}
