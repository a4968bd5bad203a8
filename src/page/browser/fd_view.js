// One fd: what it is, its lines, a search in it, and following it while its command runs.

import {
  awaited,
  cookie,
  counted,
  element,
  endingElement,
  failingText,
  grouped,
  historyElement,
  say,
  setCookie,
  showDialog,
  timeElement,
  viewHead,
} from "./element.js";
import { editorTemplate, setEditorTemplate } from "./line_links.js";
import { fdLines, readLines } from "./fd_lines.js";
import { showLongLine } from "./long_line.js";
import { ask, order } from "./request.js";
import { searchFields, soughtIn, soughtQuery, textField } from "./search_fields.js";
import { CHOICES, isListing, ShownLines } from "./shown_lines.js";
import { timeBars } from "./time_bars.js";
import { setTitle, watchRun } from "./watched_runs.js";
import "./row_list.js";

const FOLLOW_MS = 400;
const TELL_MS = 10_000;
const ADDRESS_MS = 250;
const MAX_COPIED = 20_000;
/** So many findings are listed at once, on a screen that has room for them above the lines. */
const FEW_FINDINGS = 5;
const ROOMY_PIXELS = 700;

/** What a reader chose: long lines wrapped, which lines. */
const WRAPS = "fdtool-wraps";
const SHOWN = "fdtool-shown";

/** What the server may be asked to do with a run. */
const ORDERS = {
  stop: { title: "Stop", about: "Ends this command and what it started" },
  again: { title: "Run again", about: "Runs this command once more, in the background" },
};

class FdView extends HTMLElement {
  #fd = "";
  #row = undefined;
  #allowRun = false;
  #lines = undefined;
  /** Which of them the list shows. */
  #shown = undefined;
  #bars = undefined;
  /** What was sought last, and what came of that. */
  #sought = soughtIn("");
  #search = undefined;
  #findings = [];
  #follows = false;
  #timer = 0;
  #addressing = 0;
  /** The part of the address after # that leads here. */
  #address = "";
  /** The lines that there were when following was paused. */
  #pausedAt = 0;
  #untold = 0;
  #toldMs = -Infinity;

  /** Shows an fd; with `line`, that line, and with `sought`, its matches. With `allowRun`, its command can be run. */
  async open(fd, line, sought, allowRun) {
    this.#fd = fd;
    this.#address = location.hash;
    this.#allowRun = allowRun;
    this.#row = await awaited(this, `Opening ${fd} …`, ask("fd", { fd }));
    if (this.#row === undefined) return;
    this.#build();
    this.fields.sought = sought;
    void this.#showHistory();
    const isPlaced = line !== undefined || sought.pattern !== "";
    if (line !== undefined) this.#shown.goTo(line);
    else if (this.#row.state === "live" && !isPlaced) this.#setFollow(true);
    this.list.focus();
    this.#watch();
    if (sought.pattern !== "") void this.#run();
    if (this.#row.state !== "live") await this.#showStudied(!isPlaced);
  }

  /** Shows what is known of content that has ended. */
  async #showStudied(mayGo) {
    const { fd } = this.#row;
    const failed = (thrown) => void say(thrown.message);
    const studied = ask("sections", { fd }).catch(failed);
    const found = await ask("findings", { fd }).catch(failed);
    if (found === undefined || !this.isConnected) return;
    const { gaps, parts } = found;
    this.#shown.groups = { gaps, sections: parts };
    this.#offer("matters", gaps.length > 0);
    this.#showFindings(found, mayGo);
    if (cookie(SHOWN) === "matters" && mayGo && gaps.length > 0) void this.#show("matters");
    const { sections, bars, hasLevels } = await studied ?? { sections: [], hasLevels: false };
    if (!this.isConnected) return;
    if (sections.length > 0) this.#shown.groups = { gaps, sections: [...parts, ...sections] };
    this.#offer("folded", parts.length + sections.length > 0);
    for (const level of ["error", "warn", "info"]) this.#offer(level, hasLevels);
    if (bars === undefined) return;
    this.#bars = timeBars(bars, found.lines, (line) => this.#goTo(line));
    this.times.replaceChildren(...this.#bars.parts);
    this.times.hidden = false;
    this.lineField.placeholder = "Line, time";
    this.#bars.show(this.#shown.line);
  }

  /** Whether some lines can be chosen to be shown. */
  #offer(choice, isOffered) {
    const option = this.choices.querySelector(`[value="${choice}"]`);
    option.hidden = option.disabled = !isOffered;
    this.choices.hidden = this.choices.querySelectorAll("option:not([hidden])").length < 2;
  }

  /** Shows other lines; those of a level, or that match, are searched for. */
  async #show(choice) {
    this.choices.value = choice;
    if (!isListing(choice)) {
      this.#shown.show(choice);
      setCookie(SHOWN, choice);
      return;
    }
    const { sought } = this.fields;
    const asked = choice === "matches" ? sought : { level: choice };
    const failed = ({ status, message }) => status === 410 ? void this.#show(choice) : say(message);
    const endText = choice === "matches" ? foundText : ({ found }) => counted(found, "line");
    await this.fields.search({ fd: this.#row.fd, ...asked }, endText, async (news) => {
      if (news.type !== "end") return;
      const found = { search: news.search, found: news.listed, sought: choice === "matches" ? sought : {} };
      if (news.found > 0) await this.#shown.list(choice, found, failed);
      this.choices.value = this.#shown.choice;
    }, asked);
  }

  /** Goes from all lines to what matters, and back. */
  toggleMatters() {
    const choice = this.#shown.choice === "all" ? "matters" : "all";
    if (this.choices.querySelector(`[value="${choice}"]`).disabled) say("There is nothing to leave out.");
    else void this.#show(choice);
  }

  /** Folds or unfolds the group of the current line, or all of them. */
  toggleFold(isOfAll) {
    const fold = isOfAll ? undefined : this.#shown.toggle();
    if (fold !== undefined) {
      say(`${fold.isClosed ? "Folded" : "Unfolded"} ${counted(fold.to - fold.from + 1, "line")}`, {
        isShown: false,
      });
    } else if (!isOfAll) say("This line begins no group.");
    else if (this.#shown.folds.length === 0) say("There are no groups.");
    else say(this.#shown.toggleAll() ? "All groups are folded." : "All groups are unfolded.");
  }

  /** Lists the lines that matter, and goes to the one that matters most unless the reader has moved. */
  #showFindings({ findings, findingCount, lines, change, decisive }, mayGo) {
    this.#findings = findings.map(({ line }) => line);
    this.#lines.findings = new Set(lines);
    this.#shown.mark("--failed", lines);
    if (mayGo && decisive !== undefined && this.#shown.line === 1) this.#goTo(decisive);
    this.list.refresh();
    if (change !== undefined) {
      this.change.append(change.sentence);
      this.change.hidden = false;
    }
    if (findings.length === 0) return;
    const goTo = (line) => (event) => {
      event.preventDefault();
      this.#goTo(line);
      this.list.focus();
    };
    const link = (line) =>
      element("a", { href: `#${this.#row.fd}:${line}`, onclick: goTo(line) }, grouped(line));
    const items = findings.map(({ line, text, isNew }) =>
      element("li", link(line), isNew ? " new " : " ", element("span.text", text))
    );
    const most = findings.length < findingCount ? `${findings.length} of ` : "";
    const keys = [" ", element("kbd", "n"), " ", element("kbd", "p")];
    const title = element("summary", most, counted(findingCount, "finding"), ...keys);
    this.findingList.append(title, element("ol", ...items));
    const isRoomy = Math.min(innerWidth, innerHeight) >= ROOMY_PIXELS;
    this.findingList.open = findings.length <= FEW_FINDINGS && isRoomy;
    this.findingList.hidden = false;
  }

  /** Shows the other runs of the command, and leads to a comparison with the one before. */
  async #showHistory() {
    const history = await ask("history", { fd: this.#row.fd }).catch(() => undefined);
    if (history === undefined) return;
    const runs = historyElement(history, true);
    const failing = failingText(history);
    if (runs !== undefined) this.history.append(runs, failing === undefined ? "" : ` ${failing}`);
    this.history.querySelector(`[href="#${this.#row.fd}"]`)?.setAttribute("aria-current", "true");
    if (history.before === undefined) return;
    this.beforeLink.href = `#diff:${history.before}:${this.#row.fd}`;
    this.beforeLink.hidden = false;
  }

  #goTo(line) {
    this.#setFollow(false);
    this.#shown.goTo(line);
    this.choices.value = this.#shown.choice;
    this.#writeAddress();
  }

  /** Puts the current line and what is sought into the address. */
  #writeAddress() {
    clearTimeout(this.#addressing);
    // The reader may have gone elsewhere just now.
    if (!this.isConnected || location.hash !== this.#address) return;
    history.replaceState(null, "", `#${this.#fd}:${this.#shown.line}${soughtQuery(this.#sought)}`);
    this.#address = location.hash;
  }

  /** Goes to the next or previous finding; beyond the last one, to the first. */
  #nextFinding(way) {
    const here = this.#shown.line;
    const line = way === "next"
      ? this.#findings.find((each) => each > here) ?? this.#findings[0]
      : this.#findings.findLast((each) => each < here) ?? this.#findings.at(-1);
    this.#goTo(line);
    say(`Finding ${this.#findings.indexOf(line) + 1} of ${this.#findings.length}: line ${grouped(line)}`);
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
    clearTimeout(this.#addressing);
    this.fields?.stop();
  }

  #build() {
    const row = this.#row;
    this.#pausedAt = row.total_lines;
    this.change = element("p.change", { hidden: true });
    this.findingList = element("details.findings", { hidden: true });
    this.facts = element("p.facts");
    this.history = element("span");
    this.list = element("row-list", { label: `Lines of ${row.fd}` });
    this.status = element("p.place", { "aria-hidden": "true" });
    const command = row.title ?? row.source;
    setTitle(`${command} · ${row.fd} · fdtool`);
    if (row.state === "live") watchRun(row.fd);
    const title = element("span.command", { title: row.command }, command);
    const tools = this.#tools();
    const actions = element("span.actions", this.beforeLink, this.orderButton);
    const head = viewHead("#runs", [title], this.facts, this.change, actions);
    this.times = element("div.times", { hidden: true });
    this.replaceChildren(head, tools, this.findingList, this.times, this.list, this.status);
    this.#lines = fdLines(row, {
      onload: () => this.list.refresh(),
      onstate: (state) => this.#grown(state),
      onfailure: (failure) => say(failure.message),
    });
    this.#lines.count = row.total_lines;
    this.#shown = new ShownLines(this.list, this.#lines);
    this.list.wraps = this.wrapBox.checked;
    this.list.onmove = () => this.#moved();
    this.list.onopen = (_, { type }) => {
      if (this.list.querySelector(".row.current.has-fold") === null) showLongLine(row.fd, this.#shown.line);
      else if (type !== "dblclick") this.toggleFold(false);
    };
    this.list.addEventListener("click", (event) => {
      if (event.target.closest(".fold, .gap") !== null) this.toggleFold(false);
      if (event.target.closest(".cut")) showLongLine(row.fd, this.#shown.line);
      const link = event.target.closest(".link");
      if (link !== null && String(getSelection()) === "") follow(link);
      if (event.target.closest(".number") !== null) this.#writeAddress();
    });
    this.#showFacts();
    this.#moved();
  }

  #tools() {
    const button = (title, text, onclick) =>
      element("button", { type: "button", "aria-label": text.length === 1 && title, title, onclick }, text);
    const ways = [
      button("Previous match (N)", "↑", () => this.nextMatch("previous")),
      button("Next match (n)", "↓", () => this.nextMatch("next")),
    ];
    this.fields = searchFields("Search in this fd", ways, () => this.#submitSearch());
    const small = { type: "text", class: "line-field" };
    this.lineField = textField("Go to line", "20", { ...small, placeholder: "Line", inputmode: "numeric" });
    this.orderButton = button("", "", () => this.#askOrder());
    this.orderButton.classList.add("again");
    const notify = "Show a notification if this fails";
    this.notifyButton = button(notify, "Notify", async () => {
      const permission = await Notification.requestPermission();
      say(
        permission === "granted"
          ? "A notification will tell if this fails."
          : "The browser shows no notifications.",
      );
      this.#showFollow();
    });
    this.followButton = button("Pause or resume following (f)", "Resume", () => this.toggleFollow());
    const checked = cookie(WRAPS) === "1";
    this.wrapBox = element("input", { type: "checkbox", checked, onchange: () => this.#setWraps() });
    const title = "What changed since the run of this command before";
    const options = Object.entries(CHOICES).map(([value, text]) =>
      element("option", { value, hidden: value !== "all", disabled: value !== "all" }, text)
    );
    const choose = {
      "aria-label": "Which lines",
      hidden: true,
      onchange: () => this.#show(this.choices.value),
    };
    this.choices = element("select", choose, ...options);
    this.beforeLink = element(
      "a.button.before",
      { hidden: true, title },
      "Compare",
      element("span.wide", " with the run before"),
    );
    return element(
      "div.tools",
      this.fields.form,
      element("form", { onsubmit: (event) => this.#submitLine(event) }, this.lineField),
      this.followButton,
      this.notifyButton,
      this.choices,
      element("label", { title: "Wrap long lines (w)" }, this.wrapBox, "Wrap"),
      button("Copy, download, compare, editor", "More …", () => this.#showMore()),
    );
  }

  /** Asks whether the command is to be stopped or run again. */
  #askOrder() {
    const { fd, order: name, title: command, cwd } = this.#row;
    const { title, about } = ORDERS[name];
    const dialog = showDialog("order", title, [
      element("h2", `${title}?`),
      element("pre", { tabindex: "0", "aria-label": "Command" }, command ?? fd),
      element("p.hint", `${about}${name === "again" && cwd !== undefined ? `, in ${cwd}` : ""}.`),
    ], [element("button", { value: "cancel" }, "Cancel"), element("button.primary", { value: name }, title)]);
    dialog.addEventListener("close", async () => {
      if (dialog.returnValue !== name) return;
      say(name === "stop" ? "Stopping …" : "Starting …");
      try {
        const { fd: made } = await order(name, { fd });
        if (name === "again") location.hash = `#${made}`;
      } catch (thrown) {
        say(thrown.message);
      }
    });
  }

  /** What is done now and then. */
  #showMore() {
    const { fd } = this.#row;
    const [from, to] = this.#shown.chosen;
    const lines = from === to ? `line ${grouped(from)}` : `lines ${grouped(from)} to ${grouped(to)}`;
    const download = (text, file, range = "") =>
      element("a.button", { href: `api/content?fd=${fd}${range}`, download: file }, text);
    const other = textField("Compare with this fd", "200", {
      type: "text",
      placeholder: "fd:…",
      list: "fds",
    });
    const template = textField("Address that opens a file in your editor", "300", { type: "text" });
    template.value = editorTemplate();
    const form = (field, text, onsubmit) => {
      const attributes = { method: "dialog", onsubmit: () => onsubmit(field.value.trim()) };
      return element("form.field", attributes, field, element("button", text));
    };
    showDialog("more", `More of ${fd}`, [
      element("h2", fd),
      element(
        "p.field",
        element("button", { type: "button", onclick: () => this.copy() }, `Copy ${lines} (c)`),
        download(`Download ${lines}`, `${fd}-${from}-${to}.txt`, `&from=${from}&to=${to}`),
        download("Download all", `${fd}.txt`),
      ),
      element("h3", "Compare with"),
      form(other, "Compare", (fd) => this.#compare(fd)),
      element("h3", "Editor"),
      element(
        "p.hint",
        "A place such as src/a.c:12 leads to this address, with {path}, {line} and {column}.",
      ),
      form(template, "Set", (text) => this.#setEditor(text)),
    ]);
  }

  #setEditor(template) {
    if (!setEditorTemplate(template)) {
      say("Invalid address: expected one such as vscode://file{path}:{line}.");
    } else this.list.refresh();
  }

  /** Follows the first link of the current line. */
  openPlace() {
    const link = this.list.querySelector(".row.current .link");
    if (link === null) say("This line names no file and no address.");
    else follow(link);
  }

  #compare(other) {
    const fd = /^\d+$/.test(other) ? `fd:${other}` : other;
    if (/^(?:fd:\d+|ref:[\w.-]+)$/.test(fd)) location.hash = `#diff:${fd}:${this.#fd}`;
    else say(`Invalid fd ${JSON.stringify(other)}: expected fd:12 or ref:NAME.`);
  }

  #setWraps() {
    this.list.wraps = this.wrapBox.checked;
    setCookie(WRAPS, String(Number(this.wrapBox.checked)));
  }

  /** Copies the chosen lines as they are shown, with their numbers. */
  async copy() {
    const [from, last] = this.#shown.chosen;
    const to = Math.min(last, from + MAX_COPIED - 1);
    const text = (async () => {
      const lines = await readLines(this.#row.fd, from - 1, to - from + 1);
      const width = String(to).length;
      const written = lines.map(({ t, cut }, at) =>
        `${String(from + at).padStart(width)}\t${t}${cut ? "…" : ""}\n`
      );
      return new Blob([written.join("")], { type: "text/plain" });
    })();
    try {
      // A promise, since some browsers let a page write only at once after a key or a click.
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": text })]);
      say(from === to ? `Copied line ${grouped(from)}.` : `Copied lines ${grouped(from)} to ${grouped(to)}.`);
    } catch (thrown) {
      say(`Cannot copy: ${thrown.message}`);
    }
  }

  #showFacts() {
    const { fd, names, created, facts, parent } = this.#row;
    const from = parent === undefined ? "" : ` · from ${parent}`;
    const own = names.map((name) => element("span.name", name));
    const parts = [
      endingElement(this.#row),
      fd,
      ...own,
      this.history,
      timeElement(created),
      `${facts}${from}`,
    ];
    this.facts.replaceChildren(...parts.flatMap((part) => [part, " "]));
    this.#showFollow();
  }

  /** Takes the state of the fd that came with lines or with the news. */
  #grown(state) {
    const row = this.#row;
    const wasLive = row.state === "live";
    if (state.bytes === row.bytes && state.state === row.state) return;
    const more = state.total_lines - row.total_lines;
    // Lines come without names.
    Object.assign(row, state, { names: row.names });
    const follows = this.#follows;
    this.#lines.grow(row.total_lines);
    this.#shown.refresh();
    if (follows) this.list.toEnd();
    this.#showFacts();
    this.#moved();
    if (wasLive && row.state !== "live") {
      this.#setFollow(false);
      say(`${row.fd} has ended: ${this.facts.querySelector(".ending").textContent}.`);
      void this.#showEnd();
    } else if (follows) this.#tellNew(more);
  }

  /** Shows what is known of a command since it has ended. */
  async #showEnd() {
    await this.#showStudied(false);
    const { order } = await ask("fd", { fd: this.#row.fd });
    this.#row.order = order;
    this.#showFollow();
  }

  /** Tells how much is new, but not all the time. */
  #tellNew(lines) {
    this.#untold += lines;
    if (this.#untold === 0 || performance.now() - this.#toldMs < TELL_MS) return;
    say(counted(this.#untold, "new line"), { isShown: false });
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
    if (this.#follows) this.#pausedAt = this.#row.total_lines;
    this.#follows = follows && this.#row.state === "live";
    this.#showFollow();
    if (this.#follows) this.list.toEnd();
  }

  #showFollow() {
    const { state, total_lines } = this.#row;
    const missed = total_lines - this.#pausedAt;
    this.followButton.hidden = state !== "live";
    this.notifyButton.hidden = state !== "live" || globalThis.Notification?.permission !== "default";
    this.orderButton.hidden = !this.#allowRun || this.#row.order === undefined;
    const { title = "", about = "" } = ORDERS[this.#row.order] ?? {};
    this.orderButton.textContent = `${title} …`;
    this.orderButton.title = about;
    this.followButton.textContent = this.#follows
      ? "Pause"
      : missed === 0
      ? "Resume"
      : `Resume · ${counted(missed, "new line")}`;
  }

  toggleFollow() {
    if (this.#row.state === "live") this.#setFollow(!this.#follows);
    else say(`${this.#fd} is not running.`);
  }

  #moved() {
    if (this.#follows && !this.list.isAtEnd) this.#setFollow(false);
    const { count } = this.#lines;
    const { line, chosen: [from, to], listedCount } = this.#shown;
    const listed = listedCount === undefined
      ? `lines ${grouped(this.#shown.lineAt(this.list.firstInView))} and on are on screen`
      : `${grouped(listedCount)} of them are listed`;
    this.status.textContent = count === 0
      ? "Empty"
      : from < to
      ? `Lines ${grouped(from)} to ${grouped(to)} of ${grouped(count)} are chosen · c copies them`
      : `Line ${grouped(line)} of ${grouped(count)} · ${listed}`;
    this.#bars?.show(line);
    clearTimeout(this.#addressing);
    if (!this.#follows && line > 1) {
      this.#addressing = setTimeout(() => this.#writeAddress(), ADDRESS_MS);
    }
  }

  focusLine() {
    this.lineField.focus();
    this.lineField.select();
  }

  #submitLine(event) {
    event.preventDefault();
    const written = this.lineField.value;
    if (written.includes(":")) return void this.#goToTime(written);
    const line = Number(written.replaceAll(/[\s,.]/g, ""));
    const { count } = this.#lines;
    if (!Number.isInteger(line) || line < 1 || line > count) {
      say(`Invalid line: expected 1 to ${grouped(count)}.`);
      return;
    }
    this.#goTo(line);
    this.list.focus();
    say(`Line ${grouped(line)}`, { isShown: false });
  }

  async #goToTime(at) {
    try {
      const { line } = await ask("time", { fd: this.#row.fd, at });
      this.#goTo(line);
      this.list.focus();
    } catch (thrown) {
      say(thrown.message);
    }
  }

  #submitSearch() {
    if (this.#search !== undefined && JSON.stringify(this.fields.sought) === JSON.stringify(this.#sought)) {
      this.list.focus();
      this.nextMatch("next");
    } else void this.#run();
  }

  async #run() {
    const { sought } = this.fields;
    const marks = [];
    this.#sought = sought;
    this.#search = undefined;
    this.#shown.mark("--mark-line", marks);
    this.#offer("matches", false);
    this.#lines.mark(sought.pattern === "" ? {} : sought);
    this.list.refresh();
    if (sought.pattern === "") {
      this.fields.stop();
      this.fields.tell("");
      return;
    }
    const from = this.#shown.line;
    await this.fields.search({ fd: this.#row.fd }, foundText, async (news) => {
      marks.push(...news.marks);
      this.#shown.mark("--mark-line", marks);
      this.#offer("matches", news.found > 0);
      // What was found so far can be visited.
      this.#search = news;
      const isAwaited = from === this.#shown.line && (from === 1 || news.type === "end");
      if (news.found === 0 || !isAwaited) return;
      this.list.focus();
      await this.nextMatch("next", from - 1);
    });
  }

  /** Goes to the next or previous matching line. */
  async nextMatch(way, after = this.#shown.line) {
    if (this.#search === undefined || this.#search.found === 0) {
      const { sought } = this.fields;
      if (sought.pattern === "" && this.#findings.length > 0) this.#nextFinding(way);
      else if (sought.pattern !== "") void this.#run();
      else this.fields.focus();
      return;
    }
    try {
      const isOver = this.#search.type === "end";
      const { line, number, found } = await ask("match", { search: this.#search.search, line: after, way });
      this.#goTo(line);
      const listed = this.#search?.listed < found
        ? ` (the first ${grouped(this.#search.listed)} can be visited)`
        : "";
      this.fields.tell(`${grouped(number)} of ${counted(found, "match")}${isOver ? listed : " so far"}`);
    } catch (thrown) {
      if (thrown.status === 410) void this.#run();
      else say(thrown.message);
    }
  }
}

/** Opens the address of a link in a line. */
function follow({ dataset }) {
  element("a", { href: dataset.href, target: "_blank", rel: "noreferrer" }).click();
}

function foundText({ found }) {
  return found === 0 ? "No match" : counted(found, "match");
}

customElements.define("fd-view", FdView);
