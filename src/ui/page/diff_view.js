// Two contents side by side. The rows of a unified diff become pairs; what changed within a line is marked.

import { counted, element, grouped, notice } from "./element.js";
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

function drawPair(row, pair) {
  row.classList.remove("hunk", "same", "changed");
  row.classList.add(pair.kind);
  if (pair.kind === "hunk") {
    row.replaceChildren(
      element("span.hunk-text", `line ${grouped(pair.old.line)} / ${grouped(pair.new.line)}`),
    );
    return;
  }
  row.replaceChildren(
    sideOf(pair.old, pair.kind === "changed" ? "removed" : ""),
    sideOf(pair.new, pair.kind === "changed" ? "added" : ""),
  );
}

function sideOf(side, kind) {
  if (side === undefined) return element("span.half.empty");
  const sign = kind === "removed" ? "−" : kind === "added" ? "+" : " ";
  return element(
    "span",
    { class: `half ${kind}` },
    element("span.number", grouped(side.line)),
    element("span.sign", { role: kind === "" ? undefined : "img", "aria-label": kind || undefined }, sign),
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
    const title = element("h2", "Compare ", link(oldFd), " with ", link(newFd));
    const tools = [
      element("label", boxes[0], "Ignore times and durations"),
      element("label", boxes[1], "Ignore whitespace"),
      element("a.button", { href: `#diff:${newFd}:${oldFd}` }, "Swap"),
    ];
    const back = element("a.back", { href: "#runs" }, "Back");
    const head = element("header.fd-head", back, title, this.facts);
    this.replaceChildren(head, element("div.tools", ...tools), this.body);
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
      const asked = { old: oldFd, new: newFd, ignore };
      const { rows, cut, added, removed, hunks } = await ask("diff", asked, abort.signal);
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
