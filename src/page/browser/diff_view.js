// Two contents side by side. The rows of a unified diff become pairs; what changed within a line is marked.

import { awaited, counted, element, grouped, notice, viewHead } from "./element.js";
import { pieces } from "./fd_lines.js";
import { ask } from "./request.js";
import "./row_list.js";

/** The pairs of rows that a unified diff makes: a removed line beside the added one that follows it. */
export function pairsOf(rows) {
  const pairs = [];
  let [oldLine, newLine] = [1, 1];
  for (const [at, [sign, text, extra]] of rows.entries()) {
    if (sign === "@") {
      [oldLine, newLine] = [text, extra];
      pairs.push({ kind: "hunk", old: { line: oldLine }, new: { line: newLine } });
    } else if (sign === " ") {
      pairs.push({ kind: "same", old: { line: oldLine++, t: text }, new: { line: newLine++, t: text } });
    } else if (sign === "-") pairs.push({ kind: "changed", old: { line: oldLine++, t: text, m: extra } });
    else {
      const added = { line: newLine++, t: text, m: extra };
      if (rows[at - 1][0] === "-") pairs.at(-1).new = added;
      else pairs.push({ kind: "changed", new: added });
    }
  }
  return pairs;
}

/** A list of pairs. */
export function pairList(pairs, label) {
  const list = element("row-list", { label, class: "pairs wraps" });
  queueMicrotask(() => {
    list.source = { count: pairs.length, row: (index) => pairs[index], want() {}, draw: drawPair };
  });
  return list;
}

function drawPair(row, { kind, old, new: after }) {
  row.classList.remove("hunk", "same", "changed");
  row.classList.add(kind);
  if (kind === "hunk") {
    row.replaceChildren(element("span.hunk-text", `line ${grouped(old.line)} / ${grouped(after.line)}`));
    return;
  }
  const [before, now] = kind === "same" ? [[], []] : [["removed", "−"], ["added", "+"]];
  row.replaceChildren(sideOf(old, before), sideOf(after, now));
}

function sideOf(side, [kind, sign = " "]) {
  if (side === undefined) return element("span.half.empty");
  return element(
    kind === undefined ? "span.half" : `span.half.${kind}`,
    element("span.number", grouped(side.line)),
    element("span.sign", { role: kind && "img", "aria-label": kind }, sign),
    element("span.text", ...pieces(side)),
  );
}

class DiffView extends HTMLElement {
  #calling = undefined;

  disconnectedCallback() {
    this.#calling?.abort();
  }

  /** Compares two fds. */
  async open(oldFd, newFd) {
    this.fds = [oldFd, newFd];
    const boxes = ["times", "space"].map((value) =>
      element("input", { type: "checkbox", value, onchange: () => this.#load(boxes) })
    );
    this.facts = element("p.facts", { role: "status" });
    this.body = element("div.diff-body");
    const link = (fd) => element("a", { href: `#${fd}` }, fd);
    const tools = [
      element("label", boxes[0], "Ignore times and durations"),
      element("label", boxes[1], "Ignore whitespace"),
      element("a.button", { href: `#diff:${newFd}:${oldFd}` }, "Swap"),
    ];
    const title = ["Compare ", link(oldFd), " with ", link(newFd)];
    const head = viewHead("#runs", title, this.facts);
    this.replaceChildren(head, element("div.tools", ...tools), this.body);
    await this.#load(boxes);
  }

  /** Compares the fds; `boxes` say what to ignore. */
  async #load(boxes) {
    this.#calling?.abort();
    const abort = this.#calling = new AbortController();
    const [oldFd, newFd] = this.fds;
    const ignore = boxes.filter((box) => box.checked).map((box) => box.value).join(",");
    this.facts.textContent = "";
    const asked = ask("diff", { old: oldFd, new: newFd, ignore }, abort.signal);
    const diff = await awaited(this.body, "Comparing …", asked);
    if (diff === undefined) return;
    const { rows, cut, added, removed, hunks } = diff;
    if (hunks === 0) {
      this.facts.textContent = "They show the same text.";
      this.body.replaceChildren(notice("No difference."));
      return;
    }
    this.facts.textContent =
      `${counted(added, "line")} added, ${grouped(removed)} removed, in ${counted(hunks, "place")}` +
      (cut ? ` · the first ${counted(rows.length, "row")} of the diff are shown` : "");
    const list = pairList(pairsOf(rows), `Differences between ${oldFd} and ${newFd}`);
    this.body.replaceChildren(list);
    list.focus();
  }
}

customElements.define("diff-view", DiffView);
