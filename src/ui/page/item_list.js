// A list of links that the arrow keys move through, the newest first, with a button for older ones.

import { element, notice } from "./element.js";

export class ItemList extends HTMLElement {
  #chosen = undefined;

  /** Makes the list and its button, which calls `loadOlder`. */
  build(loadOlder) {
    this.items = element("ul.items", { onkeydown: (event) => this.#pressed(event) });
    this.olderButton = element("button.older", { type: "button", hidden: true, onclick: loadOlder }, "Older");
    this.append(this.items, this.olderButton);
  }

  get links() {
    return [...this.items.querySelectorAll("a")];
  }

  /** Shows `items`; the one that has the focus keeps it. */
  showItems(items, hasOlder) {
    const focused = this.links.find((link) => link === document.activeElement)?.dataset.place;
    this.items.replaceChildren(...items.map((item) => element("li", item)));
    this.olderButton.hidden = !hasOlder;
    this.chosen = this.#chosen;
    if (focused !== undefined) this.links.find((link) => link.dataset.place === focused)?.focus();
  }

  /** Shows why there is nothing to show; the page says itself that the server has ended. */
  showFailure(thrown) {
    if (thrown.status !== undefined) {
      this.items.replaceChildren(element("li", notice(thrown.message, true)));
    }
  }

  /** Marks the item that is open. */
  set chosen(place) {
    this.#chosen = place;
    for (const link of this.links) {
      if (link.dataset.place === place) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  focus() {
    (this.items.querySelector('a[aria-current="true"]') ?? this.links[0] ?? this.filter)?.focus();
  }

  #pressed(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== "Home" && event.key !== "End") return;
    const { links } = this;
    const at = links.indexOf(document.activeElement);
    const wanted = event.key === "Home" ? 0 : event.key === "End" ? links.length - 1 : at + step;
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
