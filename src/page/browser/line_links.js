// Places and addresses that a line names, as links.

import { cookie, setCookie } from "./element.js";

const URL_IN = /https?:\/\/[^\s<>"'`\\^{|}]*[^\s<>"'`\\^{|}.,;:!?)\]]/g;
const PLACE_IN =
  /(?<![\p{L}\p{N}_@+~./-])((?:\.{0,2}\/)?(?:[\p{L}\p{N}_@+~.-]+\/)*[\p{L}\p{N}_@+~.-]+\.([A-Za-z]\w{0,9}))(?::(\d+)(?::(\d+))?|\((\d+),(\d+)\))|File "([^"]+)", line (\d+)/gu;
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
  const links = [...text.matchAll(URL_IN)].map(({ 0: url, index }) => [index, index + url.length, url]);
  if (cwd === undefined) return links;
  for (const found of text.matchAll(PLACE_IN)) {
    const [all, path, end, line, column, row, place, quoted, quotedLine] = found;
    const isHost = path !== undefined && HOST_ENDS.has(end) && !path.includes("/");
    const isInLink = links.some(([from, to]) => found.index < to && found.index + all.length > from);
    if (isHost || isInLink || (path ?? quoted).startsWith("~")) continue;
    const at = { line: line ?? row ?? quotedLine, column: column ?? place ?? 1 };
    links.push([found.index, found.index + all.length, editorAddress(path ?? quoted, cwd, at)]);
  }
  return links;
}

function editorAddress(path, cwd, { line, column }) {
  const whole = path.startsWith("/") ? path : `${cwd.replace(/^(?!\/)/, "/").replaceAll("\\", "/")}/${path}`;
  const values = { path: whole.split("/").map(encodeURIComponent).join("/"), line, column };
  return editorTemplate().replaceAll(/\{(path|line|column)\}/g, (_, name) => values[name]);
}
