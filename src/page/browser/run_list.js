// The runs of the store, newest first: what was run when, and how it ended.

import {
  counted,
  element,
  endingElement,
  failingText,
  historyElement,
  notice,
  timeElement,
} from "./element.js";
import { itemLink, ItemList } from "./item_list.js";
import { ask } from "./request.js";
import { textField } from "./search_fields.js";

const SHOWN = {
  runs: "Runs and output",
  failed: "Failed only",
  live: "Running only",
  all: "Each run, with backups",
};

class RunList extends ItemList {
  /** The ids of the running fds that are shown. */
  live = [];
  filter = textField("Filter by command, name or directory", "200", {
    oninput: () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.load(), 150);
    },
    onkeydown: (event) => {
      if (event.key !== "ArrowDown" && event.key !== "Enter") return;
      event.preventDefault();
      this.focus();
    },
  });
  show = element(
    "select",
    { "aria-label": "Which fds", onchange: () => this.load() },
    ...Object.entries(SHOWN).map(([value, text]) => element("option", { value }, text)),
  );
  choices = element("datalist", { id: "fds" });
  head = [element("div.filters", this.filter, this.show), this.choices];

  async ask(limit) {
    const [q, show] = [this.filter.value.trim(), this.show.value];
    const { fds, more, unreadable } = await ask("fds", { q, show, limit });
    const runs = fds.flatMap((row) => [row, ...row.history.runs]);
    this.live = [...new Set(runs.filter(({ state }) => state === "live").map(({ fd }) => fd.slice(3)))];
    this.choices.replaceChildren(
      ...fds.slice(0, 50).map((row) => element("option", { value: row.fd }, row.title ?? row.source)),
    );
    const items = fds.map(runItem);
    if (fds.length === 0) {
      const isFiltered = q !== "" || show !== "runs";
      const none = "Nothing is stored yet. fdtool run -- COMMAND stores the output of a command.";
      items.push(notice(isFiltered ? "No run matches." : none));
    }
    if (unreadable > 0) {
      items.push(notice(`${counted(unreadable, "record")} cannot be read: fdtool verify reports why.`, true));
    }
    return { items, hasOlder: more };
  }

  /** The item of an fd that is not listed, unless the reader filters. */
  async olderItem(fd) {
    if (this.filter.value.trim() !== "" || this.show.value !== "runs") return undefined;
    return await ask("fd", { fd }).then(runItem, () => undefined);
  }

  focusFilter() {
    this.filter.focus();
    this.filter.select();
  }
}

/** A run, and those of the same command before it, as a link to it. */
export function runItem(row) {
  const names = row.names.slice(0, 2).map((name) => element("span.name", name));
  const { history = { runs: [] } } = row;
  const line = [...names, historyElement(history), timeElement(row.created)];
  const others = [...row.names.map((name) => `ref:${name}`), ...history.runs.map(({ fd }) => fd)];
  const link = itemLink(row.fd, row.title ?? row.source, [endingElement(row)], line, row.facts, others);
  const failing = failingText(history);
  if (failing !== undefined) link.append(element("span.item-failing", failing));
  return link;
}

customElements.define("run-list", RunList);
