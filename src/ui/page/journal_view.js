// The journal of writes: a list of steps, and one step with the diffs of its files and its undo.

import { counted, element, notice, say, showDialog, sizeText, timeElement } from "./element.js";
import { pairList, pairsOf } from "./diff_view.js";
import { itemLink, ItemList } from "./item_list.js";
import { ask, order } from "./request.js";

const ROWS = 50;
const MAX_STEPS = 1000;
const KINDS = {
  done: "ok",
  recovered: "ok",
  undone: "kept",
  "rolled back": "incomplete",
  interrupted: "failed",
  running: "live",
};
/** Rows of a diff that are in view at once, if other files follow. */
const MAX_ROWS_IN_VIEW = 30;

class JournalList extends ItemList {
  #limit = ROWS;

  connectedCallback() {
    if (this.items !== undefined) return;
    this.build(() => {
      this.#limit += ROWS;
      void this.load();
    });
  }

  async load() {
    try {
      const { steps, total } = await ask("log", { limit: Math.min(MAX_STEPS, this.#limit) });
      const none = [notice("No file was written with fdtool yet.")];
      const hasOlder = steps.length < total && this.#limit < MAX_STEPS;
      this.showItems(steps.length === 0 ? none : steps.map(stepItem), hasOlder);
    } catch (thrown) {
      this.showFailure(thrown);
    }
  }
}

function stateElement(state) {
  return element("span", { class: `ending ${KINDS[state] ?? "kept"}` }, state);
}

/** A step as a link to it. */
export function stepItem(step) {
  const paths = step.paths.join(", ") + (step.more_paths === undefined ? "" : ` and ${step.more_paths} more`);
  return itemLink(
    step.tx,
    [stateElement(step.state), timeElement(step.at)],
    paths,
    (step.intent ?? step.tool) + (canUndo(step) ? " · can be undone" : ""),
  );
}

function canUndo({ state }) {
  return state === "done" || state === "recovered";
}

class StepView extends HTMLElement {
  /** Shows a step; with `allowUndo`, a button that undoes it. */
  async open(tx, allowUndo) {
    this.replaceChildren(notice(`Opening ${tx} …`));
    let step;
    let files;
    try {
      ({ step, files } = await ask("step", { tx }));
    } catch (thrown) {
      this.replaceChildren(notice(thrown.message, true));
      return;
    }
    const attributes = { type: "button", disabled: !canUndo(step), onclick: () => this.#ask(step) };
    const undo = allowUndo
      ? element("button.danger", attributes, "Undo …")
      : element("span.hint", "Read-only: fdtool ui --allow-undo can undo.");
    const after = step.bytes_after === undefined ? "?" : sizeText(step.bytes_after);
    const facts = [step.tool, `${sizeText(step.bytes_before)} → ${after}`];
    if (step.undoes !== undefined) facts.push(`undoes ${step.undoes}`);
    const head = element(
      "header.fd-head",
      element("a.back", { href: "#journal" }, "Back"),
      element("h2", tx),
      element("p.facts", stateElement(step.state), " ", timeElement(step.at), ` · ${facts.join(" · ")}`),
      step.intent !== undefined && element("p.command", step.intent),
    );
    const shown = files.map((file) => fileElement(file, files.length));
    this.replaceChildren(head, element("div.tools", undo), element("div.files", ...shown));
  }

  async #ask(step) {
    const body = element("div", notice("Looking at what this would change …"));
    const confirm = element("button.danger", { value: "undo", disabled: true }, `Undo ${step.tx}`);
    const dialog = showDialog("undo", `Undo ${step.tx}`, [
      element("h2", `Undo ${step.tx}?`),
      body,
    ], [element("button", { value: "cancel" }, "Cancel"), confirm]);
    dialog.addEventListener("close", () => {
      if (dialog.returnValue === "undo") void this.#undo(step.tx);
    });
    try {
      const { message, diff, encoding } = await order("undo", { tx: step.tx, dry_run: true });
      body.replaceChildren(
        element("p", message),
        diff === undefined || encoding !== undefined
          ? ""
          : element("pre", { tabindex: "0", "aria-label": "Changes" }, ...diffLines(diff)),
      );
      confirm.disabled = false;
    } catch (thrown) {
      body.replaceChildren(notice(thrown.message, true));
    }
  }

  async #undo(tx) {
    try {
      const { message } = await order("undo", { tx });
      say(message);
      this.dispatchEvent(new CustomEvent("written", { bubbles: true }));
    } catch (thrown) {
      this.prepend(notice(thrown.message, true));
    }
  }
}

function diffLines(diff) {
  const visible = diff.replaceAll(
    /[^\P{Cc}\t\n]/gu,
    (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  const kinds = { "+": "added", "-": "removed", "@": "hunk" };
  return visible.trimEnd().split("\n").map((line, index) =>
    element("span", { class: index < 2 ? "hunk" : kinds[line[0]] }, `${line}\n`)
  );
}

function fileElement({ path, created, removed, rows, cut, note, binary }, fileCount) {
  const what = created ? " (created)" : removed ? " (removed)" : "";
  const pairs = pairsOf(rows);
  const list = pairs.length === 0 ? undefined : pairList(pairs, `Changes of ${path}`);
  if (list !== undefined && fileCount > 1) {
    list.style.setProperty("--rows", String(Math.min(MAX_ROWS_IN_VIEW, pairs.length)));
    list.classList.add("bounded");
  }
  const why = note ??
    (binary ? "Binary files differ." : pairs.length === 0 ? "The content is the same." : undefined);
  return element(
    "section.file",
    { "aria-label": path },
    element("h3", path, what, cut ? ` · the first ${counted(rows.length, "row")} are shown` : ""),
    why === undefined ? list : notice(why),
  );
}

customElements.define("journal-list", JournalList);
customElements.define("step-view", StepView);
