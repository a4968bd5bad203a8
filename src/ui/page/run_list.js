// The runs of the store, newest first: what was run when, and how it ended.

import { counted, durationText, element, endingElement, notice, sizeText, timeElement } from "./element.js";
import { ask } from "./request.js";

const ROWS = 100;

class RunList extends HTMLElement {
  #rows = [];
  #more = false;
  #chosen = undefined;

  connectedCallback() {
    if (this.items !== undefined) return;
    this.filter = element("input", {
      type: "search",
      placeholder: "Filter by command, name or directory",
      "aria-label": "Filter the runs",
      spellcheck: "false",
      autocomplete: "off",
      maxlength: "200",
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
    this.items = element("ul", { class: "items", onkeydown: (event) => this.#pressed(event) });
    this.olderButton = element("button", {
      class: "older",
      type: "button",
      hidden: true,
      onclick: () => this.#loadOlder(),
    }, "Older");
    this.choices = element("datalist", { id: "fds" });
    this.append(
      element("div", { class: "filters" }, this.filter, this.show),
      this.items,
      this.olderButton,
      this.choices,
    );
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
      if (thrown.status !== undefined) {
        this.items.replaceChildren(element("li", {}, notice(thrown.message, true)));
      }
    }
  }

  async #loadOlder() {
    const { fds, more } = await ask("fds", { ...this.parameters, limit: ROWS, before: this.#rows.at(-1).id });
    const at = this.#rows.length;
    this.#rows.push(...fds);
    this.#more = more;
    this.#draw();
    this.items.querySelectorAll("a")[at]?.focus();
  }

  /** Marks the fd that is open. */
  set chosen(fd) {
    this.#chosen = fd;
    for (const link of this.items.querySelectorAll("a")) {
      const isChosen = link.dataset.fd === fd;
      if (isChosen) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  focus() {
    (this.items.querySelector('a[aria-current="true"]') ?? this.items.querySelector("a") ?? this.filter)
      .focus();
  }

  focusFilter() {
    this.filter.focus();
    this.filter.select();
  }

  #draw() {
    const focused = document.activeElement?.closest?.("run-list a")?.dataset.fd;
    if (this.#rows.length === 0) {
      const isFiltered = this.filter.value !== "" || this.show.value !== "runs";
      this.items.replaceChildren(element(
        "li",
        {},
        notice(
          isFiltered
            ? "No run matches."
            : "Nothing is stored yet. fdtool run -- COMMAND stores the output of a command.",
        ),
      ));
    } else this.items.replaceChildren(...this.#rows.map(itemOf));
    if (this.unreadable > 0) {
      this.items.append(
        element(
          "li",
          {},
          notice(`${counted(this.unreadable, "record")} cannot be read: fdtool verify reports why.`, true),
        ),
      );
    }
    this.olderButton.hidden = !this.#more;
    this.choices.replaceChildren(
      ...this.#rows.slice(0, 50).map((row) =>
        element("option", { value: row.fd }, row.command ?? row.source)
      ),
    );
    this.chosen = this.#chosen;
    if (focused !== undefined) {
      [...this.items.querySelectorAll("a")].find((link) => link.dataset.fd === focused)?.focus();
    }
  }

  #pressed(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== "Home" && event.key !== "End") return;
    const links = [...this.items.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const wanted = event.key === "Home" ? 0 : event.key === "End" ? links.length - 1 : at + step;
    if (wanted < 0) this.focusFilter();
    links[wanted]?.focus();
    event.preventDefault();
  }
}

function itemOf(row) {
  const link = element(
    "a",
    { href: `#${row.fd}` },
    element(
      "span",
      { class: "item-head" },
      element("b", {}, row.fd),
      ...row.names.slice(0, 2).map((name) => element("span", { class: "name" }, name)),
      endingElement(row),
      timeElement(row.created),
    ),
    element("span", { class: "item-command", title: row.command }, row.command ?? row.source),
    element(
      "span",
      { class: "item-facts" },
      `${counted(row.total_lines, "line")} · ${sizeText(row.bytes)}`,
      row.durationMs === undefined ? "" : ` · ${durationText(row.durationMs)}`,
    ),
  );
  link.dataset.fd = row.fd;
  return element("li", {}, link);
}

customElements.define("run-list", RunList);
