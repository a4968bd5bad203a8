// A list of links that the arrow keys move through, the newest first, with a button for older ones.

import { element, notice } from "./element.js";

const ROWS = 100;

/**
 * A list asks for its newest items, so many at most, by `ask(limit)`, which returns them and whether there are older ones.
 * `head` are elements above them.
 */
export class ItemList extends HTMLElement {
  #chosen = undefined;
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

  /** Marks the item that is open. */
  set chosen(place) {
    this.#chosen = place;
    for (const link of this.links) link.ariaCurrent = link.dataset.place === place ? "true" : null;
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

/** An item: `head` and two lines below it, all of it a link to a place of the page. */
export function itemLink(place, head, command, facts) {
  return element(
    "a",
    { href: `#${place}`, "data-place": place },
    element("span.item-head", element("b", place), ...head),
    element("span.item-command", { title: command }, command),
    element("span.item-facts", { title: facts }, facts),
  );
}
