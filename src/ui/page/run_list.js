// The runs of the store, newest first: what was run when, and how it ended.

import { counted, durationText, element, endingElement, notice, sizeText, timeElement } from "./element.js";
import { itemLink, ItemList } from "./item_list.js";
import { ask } from "./request.js";
import { textField } from "./search_fields.js";

const ROWS = 100;

class RunList extends ItemList {
  #rows = [];
  #more = false;

  connectedCallback() {
    if (this.items !== undefined) return;
    this.filter = textField("Filter by command, name or directory", "200", {
      oninput: () => {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.load(), 150);
      },
      onkeydown: (event) => {
        if (event.key === "ArrowDown" || event.key === "Enter") {
          event.preventDefault();
          this.focus();
        }
      },
    });
    this.show = element(
      "select",
      { "aria-label": "Which fds", onchange: () => this.load() },
      element("option", { value: "runs" }, "Runs and output"),
      element("option", { value: "failed" }, "Failed only"),
      element("option", { value: "live" }, "Running only"),
      element("option", { value: "all" }, "All, with backups"),
    );
    this.choices = element("datalist", { id: "fds" });
    this.append(element("div.filters", this.filter, this.show), this.choices);
    this.build(() => this.#loadOlder());
  }

  get parameters() {
    return { q: this.filter.value.trim(), show: this.show.value };
  }

  /** The ids of the running fds that are shown. */
  get live() {
    return this.#rows.filter(({ state }) => state === "live").map(({ id }) => id);
  }

  /** Loads the newest rows again, as many as are shown. */
  async load() {
    const limit = Math.min(500, Math.max(ROWS, this.#rows.length));
    try {
      const { fds, more, unreadable } = await ask("fds", { ...this.parameters, limit });
      this.#rows = fds;
      this.#more = more;
      this.unreadable = unreadable;
      this.#draw();
    } catch (thrown) {
      this.showFailure(thrown);
    }
  }

  async #loadOlder() {
    const { fds, more } = await ask("fds", { ...this.parameters, limit: ROWS, before: this.#rows.at(-1).id });
    const at = this.#rows.length;
    this.#rows.push(...fds);
    this.#more = more;
    this.#draw();
    this.links[at]?.focus();
  }

  focusFilter() {
    this.filter.focus();
    this.filter.select();
  }

  #draw() {
    const isFiltered = this.filter.value !== "" || this.show.value !== "runs";
    const none = isFiltered
      ? "No run matches."
      : "Nothing is stored yet. fdtool run -- COMMAND stores the output of a command.";
    const unreadable = `${counted(this.unreadable, "record")} cannot be read: fdtool verify reports why.`;
    this.showItems([
      ...this.#rows.length === 0 ? [notice(none)] : this.#rows.map(runItem),
      ...this.unreadable > 0 ? [notice(unreadable, true)] : [],
    ], this.#more);
    this.choices.replaceChildren(
      ...this.#rows.slice(0, 50).map((row) =>
        element("option", { value: row.fd }, row.command ?? row.source)
      ),
    );
  }
}

/** A run as a link to it. */
export function runItem(row) {
  const names = row.names.slice(0, 2).map((name) => element("span.name", name));
  const head = [...names, endingElement(row), timeElement(row.created)];
  return itemLink(row.fd, head, row.command ?? row.source, runFacts(row).join(" · "));
}

/** How much an fd has, how long that took, and where its command ran. */
export function runFacts({ total_lines, bytes, durationMs, host, cwd }) {
  return [
    counted(total_lines, "line"),
    sizeText(bytes),
    ...durationMs === undefined ? [] : [`took ${durationText(durationMs)}`],
    ...host === undefined ? [] : [`on ${host}`],
    ...cwd === undefined ? [] : [`in ${cwd}`],
  ];
}

customElements.define("run-list", RunList);
