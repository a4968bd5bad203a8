// The journal of writes: a list of steps, and one step with the diffs of its files and its undo.

import { awaited, counted, element, notice, say, showDialog, timeElement, viewHead } from "./element.js";
import { pairList, pairsOf } from "./diff_view.js";
import { itemLink, ItemList } from "./item_list.js";
import { ask, order } from "./request.js";

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
  async ask(limit) {
    const { steps, total } = await ask("log", { limit });
    const none = [notice("No file was written with fdtool yet.")];
    return { items: steps.length === 0 ? none : steps.map(stepItem), hasOlder: steps.length < total };
  }
}

function stateElement(state) {
  return element(`span.ending.${KINDS[state] ?? "kept"}`, state);
}

/** A step as a link to it. */
export function stepItem(step) {
  const paths = step.paths.join(", ") + (step.more_paths === undefined ? "" : ` and ${step.more_paths} more`);
  const head = [stateElement(step.state)];
  const facts = step.intent ?? step.tool;
  return itemLink(step.tx, paths, head, [timeElement(step.at)], facts);
}

function canUndo({ state }) {
  return state === "done" || state === "recovered";
}

class StepView extends HTMLElement {
  /** Shows a step; with `allowUndo`, a button that undoes it. */
  async open(tx, allowUndo) {
    const opened = await awaited(this, `Opening ${tx} …`, ask("step", { tx }));
    if (opened === undefined) return;
    const { step, files } = opened;
    const attributes = { type: "button", disabled: !canUndo(step), onclick: () => this.#ask(step) };
    const undo = allowUndo && element("span.actions", element("button.danger", attributes, "Undo …"));
    const facts = [step.tool, step.size];
    if (step.undoes !== undefined) facts.push(`undoes ${step.undoes}`);
    if (!allowUndo) facts.push("fdtool ui --allow-undo can undo it");
    const head = viewHead(
      "#journal",
      [tx],
      element("p.facts", stateElement(step.state), " ", timeElement(step.at), ` · ${facts.join(" · ")}`),
      step.intent !== undefined && element("p.command", step.intent),
      undo,
    );
    const shown = files.map((file) => fileElement(file, files.length));
    this.replaceChildren(head, element("div.files", ...shown));
  }

  async #ask(step) {
    const body = element("div");
    const confirm = element("button.danger", { value: "undo", disabled: true }, `Undo ${step.tx}`);
    const content = [element("h2", `Undo ${step.tx}?`), body];
    const cancel = element("button", { value: "cancel" }, "Cancel");
    const dialog = showDialog("undo", `Undo ${step.tx}`, content, [cancel, confirm]);
    dialog.addEventListener("close", () => {
      if (dialog.returnValue === "undo") void this.#undo(step.tx);
    });
    const planned = order("undo", { tx: step.tx, dry_run: true });
    const answer = await awaited(body, "Looking at what this would change …", planned);
    if (answer === undefined) return;
    const { diff, encoding } = answer;
    body.replaceChildren(
      element("p", `This changes ${step.paths.join(", ")} back. Nothing was changed yet.`),
    );
    if (diff !== undefined && encoding === undefined) {
      body.append(element("pre", { tabindex: "0", "aria-label": "Changes" }, ...diffLines(diff)));
    }
    confirm.disabled = false;
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
  const kinds = { "+": "added", "-": "removed", "@": "hunk" };
  return diff.trimEnd().split("\n").map((line, index) =>
    element("span", { class: index < 2 ? "hunk" : kinds[line[0]] }, `${line}\n`)
  );
}

function fileElement({ path, created, removed, rows, cut, note }, fileCount) {
  const what = created ? " (created)" : removed ? " (removed)" : "";
  const title = element("h3", path, what, cut && ` · the first ${counted(rows.length, "row")} are shown`);
  if (note !== undefined) return element("section.file", { "aria-label": path }, title, notice(note));
  const pairs = pairsOf(rows);
  const list = pairList(pairs, `Changes of ${path}`);
  if (fileCount > 1) {
    list.style.setProperty("--rows", String(Math.min(MAX_ROWS_IN_VIEW, pairs.length)));
    list.classList.add("bounded");
  }
  return element("section.file", { "aria-label": path }, title, list);
}

customElements.define("journal-list", JournalList);
customElements.define("step-view", StepView);
