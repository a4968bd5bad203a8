// Two contents side by side. The rows of a unified diff become pairs; what changed within a line is marked.

import { counted, element, grouped, notice, showDialog } from "./element.js";
import { ask } from "./request.js";
import "./row_list.js";

/** The pairs of rows that a unified diff makes: removed lines beside added ones. */
export function pairsOf(rows) {
  const pairs = [];
  let oldLine = 1;
  let newLine = 1;
  let removed = [];
  let added = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      pairs.push({ kind: "changed", old: removed[at], new: added[at] });
    }
    removed = [];
    added = [];
  };
  for (const [sign, text, to] of rows) {
    if (sign === "-") removed.push({ line: oldLine++, text });
    else if (sign === "+") added.push({ line: newLine++, text });
    else if (sign !== "\\") {
      flush();
      if (sign === "@") {
        oldLine = text;
        newLine = to;
        pairs.push({ kind: "hunk", old: { line: text }, new: { line: to } });
      } else pairs.push({ kind: "same", old: { line: oldLine++, text }, new: { line: newLine++, text } });
    }
  }
  flush();
  return pairs;
}

/** A list of pairs. */
export function pairList(pairs, label) {
  const list = element("row-list", { label, class: "pairs" });
  queueMicrotask(() => {
    list.source = { count: pairs.length, row: (index) => pairs[index], want() {}, draw: drawPair };
    list.onopen = (index) => showPair(pairs[index]);
  });
  return list;
}

function drawPair(row, pair) {
  row.className = row.classList.contains("current") ? "row current" : "row";
  row.classList.add(pair.kind);
  if (pair.kind === "hunk") {
    row.replaceChildren(
      element("span.hunk-text", `line ${grouped(pair.old.line)} / ${grouped(pair.new.line)}`),
    );
    return;
  }
  const [oldParts, newParts] = pair.kind === "changed" && pair.old !== undefined && pair.new !== undefined
    ? changedParts(pair.old.text, pair.new.text)
    : [[pair.old?.text ?? ""], [pair.new?.text ?? ""]];
  row.replaceChildren(
    sideOf(pair.old, oldParts, pair.kind === "changed" ? "removed" : ""),
    sideOf(pair.new, newParts, pair.kind === "changed" ? "added" : ""),
  );
}

/** Shows both lines of a pair whole, since a half of the window cuts long ones. */
function showPair({ kind, old: before, new: after }) {
  if (kind === "hunk") return;
  const lines = kind === "same" ? [["", after]] : [["removed", before], ["added", after]];
  const shown = lines.filter(([, side]) => side !== undefined).map(([name, side]) =>
    element("p", { class: `whole ${name}` }, element("b", `${name} ${grouped(side.line)} `), side.text)
  );
  showDialog("pair", "Lines", shown);
}

function sideOf(side, parts, kind) {
  if (side === undefined) return element("span.half.empty");
  const sign = kind === "removed" ? "−" : kind === "added" ? "+" : " ";
  return element(
    "span",
    { class: `half ${kind}` },
    element("span.number", grouped(side.line)),
    element("span.sign", { role: kind === "" ? undefined : "img", "aria-label": kind || undefined }, sign),
    element("span.text", ...parts),
  );
}

/** Both texts in parts: what they share at the start and the end, and what differs, marked. */
function changedParts(one, other) {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  if (start + end < shorter / 4) return [[one], [other]];
  const parts = (text) => {
    const middle = text.slice(start, text.length - end);
    return [
      text.slice(0, start),
      ...middle === "" ? [] : [element("mark", middle)],
      text.slice(text.length - end),
    ];
  };
  return [parts(one), parts(other)];
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
    this.replaceChildren(
      element(
        "header.fd-head",
        element("a.back", { href: "#runs" }, "Back"),
        element(
          "h2",
          "Compare ",
          element("a", { href: `#${oldFd}` }, oldFd),
          " with ",
          element("a", { href: `#${newFd}` }, newFd),
        ),
        this.facts,
      ),
      element(
        "div.tools",
        element("label", boxes[0], "Ignore times and durations"),
        element("label", boxes[1], "Ignore whitespace"),
        element("a.button", { href: `#diff:${newFd}:${oldFd}` }, "Swap"),
      ),
      this.body,
    );
    await this.#load(boxes);
  }

  /** Compares the fds; `boxes` say what to ignore. */
  async #load(boxes) {
    this.#calling?.abort();
    const abort = this.#calling = new AbortController();
    const [oldFd, newFd] = this.fds;
    const ignore = boxes.filter((box) => box.checked).map((box) => box.value).join(",");
    this.body.replaceChildren(notice("Comparing …"));
    this.facts.textContent = "";
    try {
      const { rows, cut, added, removed, hunks } = await ask(
        "diff",
        { old: oldFd, new: newFd, ignore },
        abort.signal,
      );
      this.facts.replaceChildren(
        hunks === 0
          ? "They show the same text."
          : `${counted(added, "line")} added, ${grouped(removed)} removed, in ${counted(hunks, "place")}`,
        cut ? ` · the first ${counted(rows.length, "row")} of the diff are shown` : "",
      );
      if (hunks === 0) {
        this.body.replaceChildren(notice("No difference."));
        return;
      }
      const list = pairList(pairsOf(rows), `Differences between ${oldFd} and ${newFd}`);
      this.body.replaceChildren(list);
      list.focus();
    } catch (thrown) {
      if (thrown.name !== "AbortError") this.body.replaceChildren(notice(thrown.message, true));
    }
  }
}

customElements.define("diff-view", DiffView);
