// Places and addresses that a line names, as links.

import { cookie, setCookie } from "./element.js";

const URL_IN = /https?:\/\/[^\s<>"'`\\^{|}]+/g;
const OPENED_BY = { ")": "(", "]": "[" };

const CHARS = String.raw`[\p{L}\p{N}_@+~.%-]+`;
const NAME = String.raw`(?:${CHARS}\.(?<end>[A-Za-z]\w{0,9})|\w*[Mm]akefile|Dockerfile)`;
const PATH = String
  .raw`(?:\/?[A-Za-z]:[\\/](?:${CHARS}[\\/])*|(?:${CHARS}\\)+|(?:\.{0,2}\/)?(?:${CHARS}\/)*)${NAME}`;
/** A path between brackets, as in traces of JavaScript, may contain blanks; one in an address is encoded. */
const PLACES_IN = [
  String
    .raw`(?<=\()(?<url>file:\/\/)?(?<path>(?:[A-Za-z]:[\\/]|\/)[^():]+):(?<line>\d+):(?<column>\d+)(?=\))`,
  String
    .raw`(?<![\p{L}\p{N}_@+~./\\%-])(?<url>file:\/\/)?(?<path>${PATH}):(?:line )?(?<line>\d+)(?::(?<column>\d+))?`,
  String
    .raw`(?<![\p{L}\p{N}_@+~./\\%-])(?<path>${PATH})\((?<line>\d+)(?:,(?<column>\d+)\)|\)(?= ?: (?:fatal )?(?:error|warning|note)))`,
  String.raw`File "(?<path>[^"]+)", line (?<line>\d+)`,
].map((source) => new RegExp(source, "gu"));
/** A backslash that escapes: in the text, so that others may, too, or in a path. One user of a Windows domain is no path. */
const ESCAPES = /\\(?:["'\\]|[nrt](?![\p{L}\p{N}_.-]))/u;
const RELATIVE_WINDOWS = /^[^\\/:]+\\/;
const NO_WINDOWS_PATH = /\\(?:u[\da-f]{4}|x[\da-f]{2}|[0-7]{3})|^[A-Z][A-Z\d-]*\\[^\\A-Z]*$/;
/** Ends of the names of hosts, behind which a number is a port. */
const HOST_ENDS = new Set(["com", "org", "net", "io", "dev", "local", "internal"]);

const EDITOR = "vscode://file{path}:{line}:{column}";
const COOKIE = "fdtool-editor";
/** Never a program that the page itself would run. */
const ALLOWED = /^(?!(?:javascript|data|vbscript|blob|file|about):)[a-z][a-z0-9+.-]*:\S*\{path\}\S*$/i;

/** How places lead to the user's editor. */
export function editorTemplate() {
  const template = cookie(COOKIE) ?? EDITOR;
  return ALLOWED.test(template) ? template : EDITOR;
}

/** Sets it; without text, the usual one. Returns whether it can be used. */
export function setEditorTemplate(template) {
  if (template !== "" && !ALLOWED.test(template)) return false;
  setCookie(COOKIE, template);
  return true;
}

/** The links of a line, `[from, to, address]`; places are in the directory `cwd`, and without it there are none. */
export function linksIn(text, cwd) {
  const links = [...text.matchAll(URL_IN)].map(({ 0: found, index }) => {
    const url = withoutTextAround(found);
    return [index, index + url.length, url];
  });
  for (
    const { 0: all, index, groups } of cwd === undefined
      ? []
      : PLACES_IN.flatMap((each) => [...text.matchAll(each)])
  ) {
    const { url, path, end, line, column = 1 } = groups;
    const isHost = HOST_ENDS.has(end) && !path.includes("/");
    const isInLink = links.some(([from, to]) => index < to && index + all.length > from);
    const isEscaped = RELATIVE_WINDOWS.test(path) && (ESCAPES.test(text) || NO_WINDOWS_PATH.test(path));
    if (isHost || isInLink || isEscaped || path.startsWith("~")) continue;
    links.push([index, index + all.length, editorAddress(url ? decoded(path) : path, cwd, { line, column })]);
  }
  return links;
}

/** A URL without the end of a sentence, and without a bracket that was opened before it. */
function withoutTextAround(url) {
  const last = url.at(-1);
  const count = (char) => url.split(char).length;
  const isAround = last in OPENED_BY ? count(last) > count(OPENED_BY[last]) : ".,;:!?".includes(last);
  return isAround ? withoutTextAround(url.slice(0, -1)) : url;
}

function decoded(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function editorAddress(path, cwd, { line, column }) {
  const isAbsolute = /^(?:\/|[A-Za-z]:)/.test(path);
  const whole = (isAbsolute ? path : `${cwd}/${path}`).replace(/^(?!\/)/, "/");
  const isWindows = /^\/[A-Za-z]:/.test(whole) || RELATIVE_WINDOWS.test(path);
  const parts = (isWindows ? whole.replaceAll("\\", "/") : whole).split("/");
  const values = { path: parts.map(encodeURIComponent).join("/"), line, column };
  return editorTemplate().replaceAll(/\{(path|line|column)\}/g, (_, name) => values[name]);
}
