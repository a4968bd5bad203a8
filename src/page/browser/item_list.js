// A list of links that the arrow keys move through, the newest first, with a button for older ones.

import { element, notice } from "./element.js";

const ROWS = 100;

/**
 * A list asks for its newest items, so many at most, by `ask(limit)`, which returns them and whether there are older ones.
 * `head` are elements above them.
 */
export class ItemList extends HTMLElement {
  #chosen = undefined;
  /** Whether the open item was brought into view. */
  #isPlaced = false;
  /** The open item that was sought beyond those that are listed. */
  #sought = undefined;
  #limit = ROWS;
  head = [];

  connectedCallback() {
    this.items = element("ul.items", { onkeydown: (event) => this.#pressed(event) });
    const attributes = { type: "button", hidden: true, onclick: () => this.#loadOlder() };
    this.olderButton = element("button.older", attributes, "Older");
    this.append(...this.head, this.items, this.olderButton);
  }

  get links() {
    return [...this.items.querySelectorAll("a")];
  }

  /** Loads the newest items again, as many as are shown; the one that has the focus keeps it. */
  async load() {
    try {
      const { items, hasOlder } = await this.ask(this.#limit);
      const focused = this.links.find((link) => link === document.activeElement)?.dataset.place;
      this.items.replaceChildren(...items.map((item) => element("li", item)));
      this.olderButton.hidden = !hasOlder;
      this.#sought = undefined;
      this.chosen = this.#chosen;
      if (focused !== undefined) this.links.find((link) => link.dataset.place === focused)?.focus();
    } catch (thrown) {
      // The page says itself that the server has ended.
      if (thrown.status !== undefined) {
        this.items.replaceChildren(element("li", notice(thrown.message, true)));
      }
    }
  }

  async #loadOlder() {
    const at = this.links.length;
    this.#limit += ROWS;
    await this.load();
    this.links[at]?.focus();
  }

  /** Marks the item that is open, and brings it into view when it is opened. */
  set chosen(place) {
    const isOpened = this.#chosen !== place || !this.#isPlaced;
    this.#chosen = place;
    this.#isPlaced = place === undefined;
    for (const link of this.links) {
      const isChosen = [link.dataset.place, ...link.dataset.others.split(" ")].includes(place);
      link.ariaCurrent = isChosen ? "true" : null;
      if (!isChosen) continue;
      this.#isPlaced = true;
      if (isOpened) link.scrollIntoView({ block: "nearest" });
    }
    if (!this.#isPlaced && this.links.length > 0) void this.#bringIn(place);
  }

  /** Adds the item that is open below the newest ones, if it is older. */
  async #bringIn(place) {
    if (this.#sought === place) return;
    this.#sought = place;
    const item = await this.olderItem?.(place);
    if (item === undefined || this.#chosen !== place || this.#isPlaced) return;
    this.items.append(element("li", item));
    this.chosen = place;
  }

  focus() {
    (this.items.querySelector('a[aria-current="true"]') ?? this.links[0] ?? this.filter)?.focus();
  }

  #pressed(event) {
    const { links } = this;
    const at = links.indexOf(document.activeElement);
    const wanted = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (wanted === undefined) return;
    if (wanted < 0) this.filter?.focus();
    links[wanted]?.focus();
    event.preventDefault();
  }
}

/** An item: a title with how it ended, and two lines below, all of it a link to `place`, which is also that of `others`. */
export function itemLink(place, title, head, line, facts, others = []) {
  return element(
    "a",
    { href: `#${place}`, "data-place": place, "data-others": others.join(" ") },
    element("span.item-head", element("b.item-command", { title }, title), ...head),
    element("span.item-line", place, ...line),
    element("span.item-facts", { title: facts }, facts),
  );
}
