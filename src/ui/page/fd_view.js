// One fd: what it is, its lines, a search in it, and following it while its command runs.

import {
  counted,
  durationText,
  element,
  endingElement,
  grouped,
  notice,
  say,
  sizeText,
  timeElement,
} from "./element.js";
import { fdLines } from "./fd_lines.js";
import { showLongLine } from "./long_line.js";
import { ask, listen } from "./request.js";
import "./row_list.js";

const FOLLOW_MS = 400;
const TELL_MS = 10_000;
/** So many findings are listed at once, on a screen that has room for them above the lines. */
const FEW_FINDINGS = 5;
const ROOMY_PIXELS = 700;

class FdView extends HTMLElement {
  #fd = "";
  #row = undefined;
  #lines = undefined;
  #searching = undefined;
  #search = undefined;
  #marks = [];
  #findings = [];
  #follows = false;
  #timer = 0;
  #untold = 0;
  #toldMs = -Infinity;

  /** Shows an fd; with `line`, from that line on. */
  async open(fd, line) {
    this.#fd = fd;
    this.replaceChildren(notice(`Opening ${fd} …`));
    try {
      this.#row = await ask("fd", { fd });
    } catch (thrown) {
      this.replaceChildren(notice(thrown.message, true));
      return;
    }
    this.#build();
    if (line !== undefined) this.list.goTo(line - 1);
    else if (this.#row.state === "live") this.#setFollow(true);
    this.list.focus();
    this.#watch();
    if (this.#row.state !== "live") await this.#showFindings(line === undefined);
  }

  /** Lists the lines that matter, and goes to the one that matters most unless the reader has moved. */
  async #showFindings(mayGo) {
    const from = this.list.current;
    let findings, change, decisive;
    try {
      ({ findings, change, decisive } = await ask("findings", { fd: this.#row.fd }));
    } catch (thrown) {
      say(thrown.message);
      return;
    }
    this.#findings = findings.map(({ line }) => line);
    this.#lines.findings = new Set(this.#findings);
    this.list.findings = this.#findings.map((line) => line - 1);
    if (mayGo && decisive !== undefined && this.list.current === from && from === 0) this.#goTo(decisive);
    this.list.refresh();
    if (change !== undefined) {
      const diff = `#diff:${change.since}:${this.#row.fd}`;
      this.change.append(
        change.sentence,
        " ",
        change.isSame ? "" : element("a", { href: diff }, "All changes"),
      );
      this.change.hidden = false;
    }
    if (findings.length === 0) return;
    const goTo = (line) => (event) => {
      event.preventDefault();
      this.#goTo(line);
      this.list.focus();
    };
    this.found.textContent ||= counted(findings.length, "finding");
    this.findingList.append(
      element(
        "summary",
        counted(findings.length, "finding"),
        " ",
        element("kbd", "n"),
        " ",
        element("kbd", "p"),
      ),
      element(
        "ol",
        ...findings.map(({ line, text }) =>
          element(
            "li",
            element("a", { href: `#${this.#row.fd}:${line}`, onclick: goTo(line) }, grouped(line)),
            " ",
            element("span.text", text),
          )
        ),
      ),
    );
    this.findingList.open = findings.length <= FEW_FINDINGS && innerHeight >= ROOMY_PIXELS;
    this.findingList.hidden = false;
  }

  #goTo(line) {
    this.#setFollow(false);
    this.list.goTo(line - 1);
    history.replaceState(null, "", `#${this.#fd}:${line}`);
  }

  /** Goes to the next or previous finding; beyond the last one, to the first. */
  #nextFinding(way) {
    const here = this.list.current + 1;
    const line = way === "next"
      ? this.#findings.find((each) => each > here) ?? this.#findings[0]
      : this.#findings.findLast((each) => each < here) ?? this.#findings.at(-1);
    this.#goTo(line);
    say(`Finding ${this.#findings.indexOf(line) + 1} of ${this.#findings.length}: line ${grouped(line)}`);
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
    this.#searching?.abort();
  }

  #build() {
    const row = this.#row;
    this.#marks = [];
    this.#findings = [];
    this.#search = undefined;
    this.change = element("p.change", { hidden: true });
    this.findingList = element("details.findings", { hidden: true });
    this.facts = element("p.facts");
    this.list = element("row-list", { label: `Lines of ${row.fd}` });
    this.status = element("p.place", { "aria-hidden": "true" });
    this.replaceChildren(
      element(
        "header.fd-head",
        element("a.back", { href: "#runs" }, "Back"),
        element(
          "h2",
          row.fd,
          ...row.names.map((name) => element("span.name", name)),
        ),
        this.facts,
        element("p.command", { title: row.cwd }, row.command ?? row.source),
        row.cwd === undefined ? undefined : element("p.cwd", { title: row.cwd }, `in ${row.cwd}`),
        this.change,
      ),
      this.#tools(),
      this.findingList,
      this.list,
      this.status,
    );
    this.#lines = fdLines(row.fd, {
      onload: () => this.list.refresh(),
      onstate: (state) => this.#grown(state),
      onfailure: (failure) => say(failure.message),
    });
    this.#lines.count = row.total_lines;
    this.list.source = this.#lines;
    this.list.onmove = () => this.#moved();
    this.list.onopen = (index) => showLongLine(row.fd, index + 1);
    this.list.addEventListener("click", (event) => {
      if (event.target.closest(".cut")) showLongLine(row.fd, this.list.current + 1);
    });
    this.#showFacts();
    this.#moved();
  }

  #tools() {
    this.pattern = element("input", {
      type: "search",
      placeholder: "Search",
      "aria-label": "Search in this fd (regular expression)",
      title: "RE2 syntax, as fdtool search",
      spellcheck: "false",
      autocomplete: "off",
      maxlength: "1000",
    });
    this.found = element("span.found");
    this.matchCase = element("input", { type: "checkbox", checked: true });
    this.fixed = element("input", { type: "checkbox" });
    this.lineField = element("input.line-field", {
      inputmode: "numeric",
      placeholder: "Line",
      "aria-label": "Go to line",
      autocomplete: "off",
    });
    this.followBox = element("input", {
      type: "checkbox",
      onchange: () => this.#setFollow(this.followBox.checked),
    });
    this.follow = element("label.follow", { hidden: this.#row.state !== "live" }, this.followBox, "Follow");
    const other = element("input.line-field", {
      placeholder: "fd:…",
      "aria-label": "Compare with this fd",
      list: "fds",
      autocomplete: "off",
    });
    return element(
      "div.tools",
      element(
        "form.search",
        { role: "search", onsubmit: (event) => this.#submitSearch(event) },
        this.pattern,
        element("label", { title: "Match case" }, this.matchCase, "Aa"),
        element("label", { title: "Plain text instead of a regular expression" }, this.fixed, "Text"),
        ...[["Previous", "↑", "N"], ["Next", "↓", "n"]].map(([way, sign, key]) => {
          const label = { "aria-label": `${way} match`, title: `${way} match (${key})` };
          const onclick = () => this.nextMatch(way.toLowerCase());
          return element("button", { type: "button", ...label, onclick }, sign);
        }),
        this.found,
      ),
      element("form", { onsubmit: (event) => this.#submitLine(event) }, this.lineField),
      this.follow,
      element(
        "a.button",
        { href: `api/content?fd=${this.#row.fd}`, download: `${this.#row.fd}.txt` },
        "Download",
      ),
      element(
        "form.compare",
        {
          onsubmit(event) {
            event.preventDefault();
            if (other.value.trim() !== "") {
              this.dispatchEvent(
                new CustomEvent("compare", { bubbles: true, detail: other.value.trim() }),
              );
            }
          },
        },
        other,
        element("button", "Compare"),
      ),
    );
  }

  #showFacts() {
    const row = this.#row;
    this.facts.replaceChildren(
      endingElement(row),
      " ",
      timeElement(row.created),
      row.durationMs === undefined ? "" : ` · took ${durationText(row.durationMs)}`,
      ` · ${counted(row.total_lines, "line")} · ${sizeText(row.bytes)}`,
      row.dropped_bytes === undefined
        ? ""
        : ` · ${sizeText(row.dropped_bytes)} missing after byte ${grouped(row.gap_at_byte)}`,
      row.parent === undefined ? "" : ` · from ${row.parent}`,
    );
    this.follow.hidden = row.state !== "live";
  }

  /** Takes the state of the fd that came with lines or with the news. */
  #grown(state) {
    const row = this.#row;
    const wasLive = row.state === "live";
    if (state.bytes === row.bytes && state.state === row.state) return;
    const more = state.total_lines - row.total_lines;
    Object.assign(row, state);
    const follows = this.#follows;
    this.#lines.grow(row.total_lines);
    this.list.refresh();
    if (follows) this.list.toEnd();
    this.#showFacts();
    this.#moved();
    if (wasLive && row.state !== "live") {
      this.#setFollow(false);
      say(`${row.fd} has ended: ${this.facts.querySelector(".ending").textContent}.`);
    } else if (follows) this.#tellNew(more);
  }

  /** Tells how much is new, but not all the time. */
  #tellNew(lines) {
    this.#untold += lines;
    if (this.#untold === 0 || performance.now() - this.#toldMs < TELL_MS) return;
    say(counted(this.#untold, "new line"));
    this.#untold = 0;
    this.#toldMs = performance.now();
  }

  #watch() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      if (!this.isConnected || this.#row.state !== "live") return;
      try {
        if (!document.hidden) this.#grown(await ask("fd", { fd: this.#row.fd }));
      } catch {
        // The page says so if the server has ended.
      }
      this.#watch();
    }, FOLLOW_MS);
  }

  #setFollow(follows) {
    this.#follows = follows && this.#row.state === "live";
    this.followBox.checked = this.#follows;
    if (this.#follows) this.list.toEnd();
  }

  toggleFollow() {
    if (this.#row?.state === "live") this.#setFollow(!this.#follows);
    else say(`${this.#fd} is not running.`);
  }

  #moved() {
    if (this.#follows && !this.list.isAtEnd) this.#setFollow(false);
    const { count } = this.#lines;
    const place = count === 0 ? "Empty" : `Line ${grouped(this.list.current + 1)} of ${grouped(count)}`;
    this.status.textContent = `${place} · in view from ${grouped(this.list.firstInView + 1)}`;
  }

  focusSearch() {
    this.pattern?.focus();
    this.pattern?.select();
  }

  focusLine() {
    this.lineField?.focus();
    this.lineField?.select();
  }

  #submitLine(event) {
    event.preventDefault();
    const line = Number(this.lineField.value.replaceAll(/[\s,.]/g, ""));
    const { count } = this.#lines;
    if (!Number.isInteger(line) || line < 1 || line > count) {
      say(`Invalid line: expected 1 to ${grouped(count)}.`);
      return;
    }
    this.#goTo(line);
    this.list.focus();
    say(`Line ${grouped(line)}`);
  }

  #submitSearch(event) {
    event.preventDefault();
    const sought = this.#sought();
    if (this.#search !== undefined && JSON.stringify(sought) === this.#search.key) {
      this.list.focus();
      this.nextMatch("next");
    } else void this.#run(sought);
  }

  #sought() {
    return { pattern: this.pattern.value, case: this.matchCase.checked, fixed: this.fixed.checked };
  }

  async #run(sought) {
    this.#searching?.abort();
    const abort = this.#searching = new AbortController();
    this.#search = undefined;
    this.#marks = [];
    this.list.marks = [];
    this.#lines.mark(sought.pattern === "" ? {} : sought);
    this.list.refresh();
    if (sought.pattern === "") {
      this.found.textContent = "";
      return;
    }
    this.found.textContent = "Searching …";
    this.found.classList.remove("fault");
    const from = this.list.current;
    try {
      for await (const news of listen("search", { fd: this.#row.fd, ...sought }, abort.signal)) {
        this.#marks.push(...news.marks.map((line) => line - 1));
        this.list.marks = this.#marks;
        // What was found so far can be visited.
        this.#search = { ...news, key: JSON.stringify(sought) };
        if (news.type === "progress") {
          const percent = Math.floor(news.done / Math.max(1, news.of) * 100);
          this.found.textContent = `${grouped(news.found)} so far · ${percent} %`;
          if (from > 0) continue;
        } else {
          this.found.textContent = news.found === 0 ? "No match" : counted(news.found, "match");
          say(this.found.textContent);
        }
        if (news.found > 0 && from === this.list.current) {
          this.list.focus();
          await this.nextMatch("next", from);
        }
      }
    } catch (thrown) {
      if (thrown.name === "AbortError") return;
      this.found.textContent = thrown.message;
      this.found.classList.add("fault");
    }
  }

  /** Goes to the next or previous matching line. */
  async nextMatch(way, after = this.list.current + 1) {
    if (this.#search === undefined || this.#search.found === 0) {
      if (this.pattern.value === "" && this.#findings.length > 0) this.#nextFinding(way);
      else if (this.pattern.value !== "") void this.#run(this.#sought());
      else this.focusSearch();
      return;
    }
    try {
      const isOver = this.#search.type === "end";
      const { line, number, found } = await ask("match", { search: this.#search.search, line: after, way });
      this.#goTo(line);
      const listed = this.#search?.listed < found
        ? ` (the first ${grouped(this.#search.listed)} can be visited)`
        : "";
      this.found.textContent = `${grouped(number)} of ${counted(found, "match")}${
        isOver ? listed : " so far"
      }`;
    } catch (thrown) {
      if (thrown.status === 410) void this.#run(this.#sought());
      else say(thrown.message);
    }
  }
}

customElements.define("fd-view", FdView);
