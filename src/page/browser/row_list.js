// A list of rows, of which only those in view exist. It shows any number of them: browsers end elements at some ten
// million pixels, so the scrolled height is bounded, and beyond the bound the scroll bar only gives the proportion, while
// the wheel and the keys move by rows. So it does, too, if rows are wrapped: then they are as high as their text, which is
// known of those in view alone, and what is above or below counts as if it were as high as those are on the average.
//
// A source has `count`, `row(index)` (undefined while it is not loaded), `want(ranges)` to have rows loaded, and
// `draw(element, row, index)`; and `highest`, the highest number that it draws, if that is not its count.

import { element } from "./element.js";

/** The height of a row that is not wrapped, as in page.css. */
const LINE_PIXELS = 20;
const MAX_PIXELS = 8_000_000;
/** A jump of more screens than this is a drag of the scroll bar, not a swipe. */
const SWIPE_SCREENS = 2;
const SETTLE_MS = 150;
const STRIP_ROWS = 500;

let lists = 0;

class RowList extends HTMLElement {
  #id = `rows-${++lists}`;
  #source = { count: 0, row: () => undefined, want() {}, draw() {} };
  /** The first row in view, with the part of it that is above. */
  #top = 0;
  #current = 0;
  /** The other end of the rows that are chosen; the current one if that is the only one. */
  #anchor = 0;
  /** The height of rows in view on the average. */
  #rowHeight = LINE_PIXELS;
  /** The largest first row in view, if rows are wrapped and the last one was seen. */
  #lastTop = Infinity;
  /** Whether the current row is to stay in view: it was gone to, and the reader has not scrolled since. */
  #holds = false;
  #expected = 0;
  #rows = [];
  #first = 0;
  /** The rows that are marked beside the scroll bar, by the name of their colour. */
  #marks = {};
  #frame = 0;
  #settling = 0;
  #widest = 0;
  /** Called when the first row in view or the current one changes. */
  onmove = () => {};
  /** Called with the current row's index on Enter and on a double click. */
  onopen = () => {};

  connectedCallback() {
    if (this.scroller !== undefined) return;
    this.window = element("div.rows", { role: "presentation" });
    this.layer = element("div.layer", { role: "presentation" }, this.window);
    this.spacer = element("div.spacer", { role: "presentation" }, this.layer);
    this.scroller = element("div.scroller", {
      tabindex: "0",
      role: "listbox",
      "aria-multiselectable": "true",
      "aria-label": this.getAttribute("label") ?? "Lines",
      onscroll: () => this.#scrolled(),
      onkeydown: (event) => this.#pressed(event),
      onclick: (event) => this.#clicked(event),
      ondblclick: (event) => this.onopen(this.#current, event),
    }, this.spacer);
    this.scroller.addEventListener("wheel", (event) => this.#wheeled(event), { passive: false });
    this.strip = element("canvas.strip", { "aria-hidden": "true", title: "Matches and findings" });
    this.strip.addEventListener("click", (event) => {
      const share = (event.offsetY - 1) / Math.max(1, this.strip.clientHeight - 2);
      this.goTo(Math.floor(share * this.#source.count));
    });
    this.append(this.scroller, this.strip);
    let width = 0;
    new ResizeObserver(() => {
      if (width !== this.clientWidth) this.#forgetWidest();
      width = this.clientWidth;
      this.#layOut();
      this.#hold();
    }).observe(this.scroller);
  }

  /** Shows another source from its first row on. */
  set source(source) {
    this.#source = source;
    this.#top = 0;
    this.#current = this.#anchor = 0;
    this.#forgetWidest();
    this.#marks = { "--mark-line": [], "--failed": [] };
    this.refresh();
  }

  #forgetWidest() {
    this.#widest = 0;
    this.spacer.style.minWidth = "";
  }

  get current() {
    return this.#current;
  }

  /** The first and the last of the rows that are chosen. */
  get chosen() {
    return [Math.min(this.#anchor, this.#current), Math.max(this.#anchor, this.#current)];
  }

  get #wraps() {
    return this.classList.contains("wraps");
  }

  /** Shows rows in as many lines as their text needs, or in one. */
  set wraps(wraps) {
    this.classList.toggle("wraps", wraps);
    this.#forgetWidest();
    this.refresh();
    this.#hold();
  }

  #hold() {
    if (this.#holds) this.#reveal(true);
  }

  /** Whether the last row is in view. */
  get isAtEnd() {
    return this.#top >= this.#mostTop() - 0.5;
  }

  get firstInView() {
    return Math.floor(this.#top);
  }

  /** Draws again: rows were loaded, or their number changed. */
  refresh() {
    this.#rows.forEach((row) => row.key = undefined);
    this.#lastTop = Infinity;
    this.#layOut();
    if (this.#wraps) this.#hold();
  }

  /** Marks rows beside the scroll bar, instead of those that were marked in this colour. */
  mark(color, rows) {
    this.#marks[color] = rows;
    this.#drawStrip();
  }

  /**
   * Makes a row the current one and brings it into view: where it is if it can be seen, else in the middle. With `extend`,
   * the rows from where that began are chosen.
   */
  goTo(index, { toMiddle = true, extend = false } = {}) {
    const { count } = this.#source;
    if (count === 0) return;
    this.#current = Math.max(0, Math.min(count - 1, index));
    this.#holds = true;
    if (!extend) this.#anchor = this.#current;
    this.#reveal(toMiddle);
    this.onmove();
  }

  #reveal(toMiddle) {
    if (this.#isSeen(this.#current)) return this.#draw();
    const seen = this.#seenRows();
    if (toMiddle) this.#setTop(this.#current - Math.floor(seen / 2));
    else this.#setTop(this.#current < this.#top ? this.#current : this.#current - seen + 1);
    // Rows that are higher than the others before them.
    if (this.#wraps && !this.#isSeen(this.#current)) this.#setTop(this.#current);
  }

  toEnd() {
    this.#current = this.#anchor = Math.max(0, this.#source.count - 1);
    this.#holds = true;
    this.#setTop(Infinity);
    // Now the heights of the last rows are known.
    if (this.#wraps) this.#setTop(Infinity);
    this.onmove();
  }

  focus() {
    this.scroller.focus();
  }

  #seenRows() {
    return this.scroller.clientHeight / this.#rowHeight;
  }

  /** Whether all of a row is in view. */
  #isSeen(index) {
    if (!this.#wraps) return index >= this.#top && index <= this.#top + this.#seenRows() - 1;
    const row = this.#rows[index - this.#first]?.element;
    if (row === undefined || row.hidden) return false;
    const above = row.offsetTop - (this.#top - this.#first) * this.#rows[0].element.offsetHeight;
    return above >= -1 && above + row.offsetHeight <= this.scroller.clientHeight + 1;
  }

  #mostTop() {
    const { count } = this.#source;
    return Math.max(0, this.#wraps ? Math.min(count - 1, this.#lastTop) : count - this.#seenRows());
  }

  /** The first row in view after a move by pixels. */
  #topAfter(pixels) {
    if (!this.#wraps) return this.#top + pixels / this.#rowHeight;
    const heightOf = (index) => this.#rows[index - this.#first]?.element.offsetHeight;
    let index = this.#first;
    let rest = pixels + (this.#top - index) * (heightOf(index) ?? this.#rowHeight);
    for (let height = heightOf(index); height > 0 && rest > height; height = heightOf(++index)) {
      rest -= height;
    }
    return index + rest / (rest < 0 ? this.#rowHeight : heightOf(index) || this.#rowHeight);
  }

  #pixels() {
    return Math.min(MAX_PIXELS, this.#source.count * this.#rowHeight);
  }

  #layOut() {
    if (this.scroller === undefined || !this.isConnected) return;
    if (!this.#wraps) this.#rowHeight = LINE_PIXELS;
    this.#layOutSpace();
    this.style.setProperty(
      "--digits",
      String(String(this.#source.highest ?? this.#source.count).length * 4 / 3 + 1),
    );
    this.#setTop(this.#top);
    this.#drawStrip();
  }

  #layOutSpace() {
    this.spacer.style.height = `${this.#pixels()}px`;
    this.layer.style.height = `${Math.min(this.#pixels(), this.scroller.clientHeight)}px`;
  }

  #setTop(top) {
    this.#top = this.#inRange(top);
    this.#draw();
    this.#placeBar();
  }

  #inRange(top) {
    return Math.max(0, Math.min(this.#mostTop(), top));
  }

  /** Puts the scroll bar where the top row is. */
  #placeBar() {
    const room = this.#pixels() - this.scroller.clientHeight;
    const most = this.#mostTop();
    const wanted = most === 0 ? 0 : this.#top / most * room;
    if (Math.abs(this.scroller.scrollTop - wanted) >= 1) this.scroller.scrollTop = wanted;
    this.#expected = this.scroller.scrollTop;
  }

  #scrolled() {
    const at = this.scroller.scrollTop;
    const moved = at - this.#expected;
    if (Math.abs(moved) < 1) return;
    this.#holds = false;
    this.#expected = at;
    const height = this.scroller.clientHeight;
    if (Math.abs(moved) > SWIPE_SCREENS * height) {
      this.#top = at / (this.#pixels() - height) * this.#mostTop();
    } else {
      this.#top = this.#inRange(this.#topAfter(moved));
      clearTimeout(this.#settling);
      this.#settling = setTimeout(() => this.#placeBar(), SETTLE_MS);
    }
    this.#drawSoon();
  }

  #wheeled(event) {
    const isScaled = this.#wraps || this.#source.count * this.#rowHeight > MAX_PIXELS;
    if (!isScaled || event.ctrlKey || event.deltaY === 0 || this.#mostTop() === 0) return;
    event.preventDefault();
    this.#holds = false;
    const unit = [1, this.#rowHeight, this.scroller.clientHeight][event.deltaMode];
    this.#top = this.#inRange(this.#topAfter(event.deltaY * unit));
    this.scroller.scrollLeft += event.deltaX * unit;
    this.#placeBar();
    this.#drawSoon();
  }

  #pressed(event) {
    if (event.altKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.#seenRows()) - 1);
    const { count } = this.#source;
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count };
    if (event.key === "Enter") this.onopen(this.#current, event);
    else if (event.key in moves) {
      // Where the reader scrolled to is where the keys go on.
      const isSeen = this.#isSeen(this.#current) || this.#current === Math.round(this.#top);
      const extend = event.shiftKey;
      const from = isSeen ? this.#current : Math.ceil(this.#top);
      if (event.key.startsWith("Page")) this.#setTop(this.#top + moves[event.key]);
      this.goTo(from + moves[event.key], { toMiddle: false, extend });
    } else return;
    event.preventDefault();
  }

  #clicked(event) {
    const row = event.target.closest(".row");
    const index = this.#rows.findIndex((each) => each.element === row);
    if (index < 0 || String(getSelection()) !== "") return;
    this.#current = this.#first + index;
    if (!event.shiftKey) this.#anchor = this.#current;
    this.#draw();
    this.onmove();
  }

  #drawSoon() {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
      this.onmove();
    });
  }

  #draw() {
    const { count } = this.#source;
    const first = Math.floor(this.#top);
    const last = Math.min(count, Math.ceil(this.#top + this.scroller.clientHeight / LINE_PIXELS) + 1);
    const wanted = Math.max(0, last - first);
    while (this.#rows.length < wanted) {
      const made = element("div.row", { role: "option" });
      made.id = `${this.#id}-${this.#rows.length}`;
      this.#rows.push({ element: made, key: undefined });
      this.window.append(made);
    }
    this.#turn(first);
    this.#source.want([[first, last]]);
    this.#rows.forEach((place, at) => this.#drawRow(place, first + at, at < wanted));
    if (this.#wraps && this.#measure(first, last)) return this.#draw();
    const height = this.#wraps ? this.#rows[0]?.element.offsetHeight : this.#rowHeight;
    this.window.style.transform = `translateY(${(first - this.#top) * height}px)`;
    this.scroller.ariaBusy = String(this.#rows.slice(0, wanted).some(({ isLoaded }) => isLoaded === false));
    this.#widen();
  }

  /** Takes the heights of the rows that are drawn. Returns whether the view began too far below, and has been moved. */
  #measure(first, last) {
    const heights = this.#rows.slice(0, last - first).map(({ element }) => element.offsetHeight);
    const all = heights.reduce((sum, height) => sum + height, 0);
    if (all === 0) return false;
    this.#rowHeight = all / heights.length;
    if (heights.length === this.#source.count) this.style.setProperty("--height", `${all + 2}px`);
    this.#layOutSpace();
    if (last < this.#source.count) return false;
    let below = this.scroller.clientHeight;
    let at = heights.length;
    while (at > 0 && below > heights[at - 1]) below -= heights[--at];
    this.#lastTop = Math.max(0, first + at - (at === 0 ? below / LINE_PIXELS : below / heights[at - 1]));
    if (this.#top <= this.#lastTop) return false;
    this.#top = this.#lastTop;
    return true;
  }

  /** Moves rows that have left the view to its other end, so that the others stay as they are. */
  #turn(first) {
    const moved = first - this.#first;
    this.#first = first;
    if (moved === 0 || Math.abs(moved) >= this.#rows.length) return;
    const rows = this.#rows;
    for (let left = moved; left > 0; left--) {
      rows.push(rows.shift());
      this.window.append(rows.at(-1).element);
    }
    for (let left = moved; left < 0; left++) {
      rows.unshift(rows.pop());
      this.window.prepend(rows[0].element);
    }
  }

  #drawRow(place, index, isWanted) {
    const drawn = place.element;
    drawn.hidden = !isWanted;
    if (!isWanted) {
      place.key = undefined;
      return;
    }
    const isCurrent = index === this.#current;
    const [from, to] = this.chosen;
    const isChosen = index >= from && index <= to;
    if (isCurrent) this.scroller.setAttribute("aria-activedescendant", drawn.id);
    drawn.classList.toggle("current", isCurrent);
    drawn.classList.toggle("chosen", isChosen && from < to);
    if (drawn.ariaSelected !== String(isChosen)) drawn.ariaSelected = String(isChosen);
    const row = this.#source.row(index);
    if (place.key === index && place.isLoaded === (row !== undefined)) return;
    place.key = index;
    place.isLoaded = row !== undefined;
    drawn.setAttribute("aria-posinset", String(index + 1));
    drawn.setAttribute("aria-setsize", String(this.#source.count));
    this.#source.draw(drawn, row, index);
  }

  /** Rows may be wider than the view; it stays as wide as the widest so far. */
  #widen() {
    if (this.#wraps) return;
    const width = Math.max(this.#widest, this.window.scrollWidth);
    if (width === this.#widest || width <= this.scroller.clientWidth) return;
    this.#widest = width;
    this.spacer.style.minWidth = `${width}px`;
  }

  #drawStrip() {
    const { strip } = this;
    strip.hidden = Object.values(this.#marks).every(({ length }) => length === 0);
    if (strip.hidden) return;
    strip.width = 12;
    strip.height = Math.min(STRIP_ROWS * 4, Math.max(1, this.scroller.clientHeight));
    const pen = strip.getContext("2d");
    pen.clearRect(0, 0, strip.width, strip.height);
    for (const [color, rows] of Object.entries(this.#marks)) {
      // A canvas takes no light-dark(): the element resolves it.
      strip.style.color = `var(${color})`;
      pen.fillStyle = getComputedStyle(strip).color;
      for (const index of rows) {
        pen.fillRect(1, Math.round(index / this.#source.count * (strip.height - 3)), strip.width - 2, 3);
      }
    }
  }
}

customElements.define("row-list", RowList);
