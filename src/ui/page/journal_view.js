// The journal of writes: a list of steps, and one step with the diffs of its files and its undo.

import { counted, element, notice, say, sizeText, timeElement } from "./element.js";
import { pairList, pairsOf } from "./diff_view.js";
import { ask, order } from "./request.js";

const ROWS = 50;
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

class JournalList extends HTMLElement {
  #limit = ROWS;
  #chosen = undefined;

  connectedCallback() {
    if (this.items !== undefined) return;
    this.items = element("ul", { class: "items", onkeydown: (event) => this.#pressed(event) });
    this.olderButton = element("button", {
      class: "older",
      type: "button",
      hidden: true,
      onclick: () => {
        this.#limit += ROWS;
        void this.load();
      },
    }, "Older");
    this.append(this.items, this.olderButton);
  }

  async load() {
    try {
      const { steps, total } = await ask("log", { limit: Math.min(1000, this.#limit) });
      const focused = document.activeElement?.closest?.("journal-list a")?.dataset.tx;
      this.items.replaceChildren(
        ...steps.length === 0
          ? [element("li", {}, notice("No file was written with fdtool yet."))]
          : steps.map(itemOf),
      );
      this.olderButton.hidden = steps.length >= total || this.#limit >= 1000;
      this.chosen = this.#chosen;
      [...this.items.querySelectorAll("a")].find((link) => link.dataset.tx === focused)?.focus();
    } catch (thrown) {
      if (thrown.status !== undefined) {
        this.items.replaceChildren(element("li", {}, notice(thrown.message, true)));
      }
    }
  }

  set chosen(tx) {
    this.#chosen = tx;
    for (const link of this.items.querySelectorAll("a")) {
      if (link.dataset.tx === tx) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  focus() {
    (this.items.querySelector('a[aria-current="true"]') ?? this.items.querySelector("a"))?.focus();
  }

  #pressed(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const links = [...this.items.querySelectorAll("a")];
    links[links.indexOf(document.activeElement) + step]?.focus();
    event.preventDefault();
  }
}

function stateElement(state) {
  return element("span", { class: `ending ${KINDS[state] ?? "kept"}` }, state);
}

function itemOf(step) {
  const paths = step.paths.join(", ") + (step.more_paths === undefined ? "" : ` and ${step.more_paths} more`);
  const link = element(
    "a",
    { href: `#${step.tx}` },
    element(
      "span",
      { class: "item-head" },
      element("b", {}, step.tx),
      stateElement(step.state),
      timeElement(step.at),
    ),
    element("span", { class: "item-command", title: paths }, paths),
    element("span", { class: "item-facts" }, step.intent ?? step.tool),
  );
  link.dataset.tx = step.tx;
  return element("li", {}, link);
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
    const canUndo = step.state === "done" || step.state === "recovered";
    const undo = allowUndo
      ? element("button", {
        class: "danger",
        type: "button",
        disabled: !canUndo,
        onclick: () => this.#ask(step),
      }, "Undo …")
      : element("span", { class: "hint" }, "Read-only: fdtool ui --allow-undo can undo.");
    this.replaceChildren(
      element(
        "header",
        { class: "fd-head" },
        element("a", { class: "back", href: "#journal" }, "Back"),
        element("h2", {}, tx),
        element(
          "p",
          { class: "facts" },
          stateElement(step.state),
          " ",
          timeElement(step.at),
          ` · ${step.tool} · ${sizeText(step.bytes_before)} → ${
            step.bytes_after === undefined ? "?" : sizeText(step.bytes_after)
          }`,
          step.undoes === undefined ? "" : ` · undoes ${step.undoes}`,
        ),
        step.intent === undefined ? "" : element("p", { class: "command" }, step.intent),
      ),
      element("div", { class: "tools" }, undo),
      element("div", { class: "files" }, ...files.map((file) => fileElement(file, files.length))),
    );
  }

  async #ask(step) {
    const body = element("div", {}, notice("Looking at what this would change …"));
    const confirm = element("button", { class: "danger", value: "undo", disabled: true }, `Undo ${step.tx}`);
    const dialog = element(
      "dialog",
      { class: "undo", "aria-label": `Undo ${step.tx}` },
      element("h2", {}, `Undo ${step.tx}?`),
      body,
      element("form", { method: "dialog" }, element("button", { value: "cancel" }, "Cancel"), confirm),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (dialog.returnValue === "undo") void this.#undo(step.tx);
    });
    document.body.append(dialog);
    dialog.showModal();
    try {
      const { message, diff, encoding } = await order("undo", { tx: step.tx, dry_run: true });
      body.replaceChildren(
        element("p", {}, message),
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
  return visible.trimEnd().split("\n").map((line, index) => {
    const kind = index < 2
      ? "hunk"
      : line.startsWith("+")
      ? "added"
      : line.startsWith("-")
      ? "removed"
      : line.startsWith("@@")
      ? "hunk"
      : "";
    return element("span", { class: kind }, `${line}\n`);
  });
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
    "section",
    { class: "file", "aria-label": path },
    element("h3", {}, path, what, cut ? ` · the first ${counted(rows.length, "row")} are shown` : ""),
    why === undefined ? list : notice(why),
  );
}

customElements.define("journal-list", JournalList);
customElements.define("step-view", StepView);
