// What a person looks for first: what runs, what failed, what waits for an answer, what was written, how the store grows
// and what it saved.

import { counted, element, notice, timeElement } from "./element.js";
import { stepItem } from "./journal_view.js";
import { ask } from "./request.js";
import { runItem } from "./run_list.js";

const ROWS = 6;
const DAY = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });

/** What failed in runs, and what changed since the run before, by fd. They stay as they are. */
const failures = new Map();

class StartView extends HTMLElement {
  async open(allowUndo) {
    this.allowUndo = allowUndo;
    this.replaceChildren(notice("Opening …"));
    this.saved = element("section");
    await this.load();
    // Of all fds, which takes longer.
    const saved = await ask("savings").catch(() => undefined);
    if (saved !== undefined) this.saved.replaceChildren(...savedPart(saved).childNodes);
  }

  /** Loads everything again; the link that has the focus keeps it. */
  async load() {
    try {
      const [running, failed, questions, { steps }, growth] = await Promise.all([
        ask("fds", { show: "live", limit: ROWS }),
        ask("fds", { show: "failing", limit: ROWS }),
        ask("questions"),
        ask("log", { limit: ROWS }),
        ask("growth"),
      ]);
      const focused = this.contains(document.activeElement) && document.activeElement.dataset.place;
      const undo = this.allowUndo
        ? "Open a write to see its diff and undo it."
        : "fdtool undo tx:N undoes a write.";
      const asks = questions.length > 0 && part("Waiting for an answer", questions.map(questionItem));
      this.replaceChildren(
        element(
          "div.stack",
          asks,
          part("Failing", failed.fds.map(runItem), "The last run of every command passed."),
          part("Running now", running.fds.map(runItem), "Nothing is running."),
        ),
        element(
          "div.stack",
          part("Written to files", steps.map(stepItem), "No file was written with fdtool yet.", undo),
          growthPart(growth),
          this.saved,
        ),
      );
      void this.#showFailures(failed.fds);
      if (focused) this.querySelector(`[data-place="${focused}"]`)?.focus();
    } catch (thrown) {
      if (thrown.status !== undefined) this.replaceChildren(notice(thrown.message, true));
    }
  }

  /** Adds to each failed run the line that matters most in it, and what changed since the run before. */
  async #showFailures(rows) {
    for (const { fd } of rows) {
      if (!failures.has(fd)) {
        const found = await ask("findings", { fd }).catch(() => ({ findings: [] }));
        const { text } = found.findings.find(({ line }) => line === found.decisive) ?? found.findings[0] ??
          {};
        failures.set(fd, { text, change: found.change?.sentence });
      }
      const { text, change } = failures.get(fd);
      const link = this.querySelector(`[data-place="${fd}"]`);
      if (link === null || link.querySelector(".item-finding, .item-change") !== null) continue;
      if (text !== undefined) {
        link.querySelector(".item-line").before(element("span.item-finding", { title: text }, text));
      }
      if (change !== undefined) link.append(element("span.item-change", change));
    }
  }
}

function part(title, items, none, hint = "") {
  const list = items.length === 0
    ? element("p.hint", none)
    : element("ul.items", ...items.map((item) => element("li", item)));
  const below = items.length > 0 && hint !== "" && element("p.hint", hint);
  return element("section", element("h2", title), list, below);
}

function questionItem({ inquiry, question, paths, at }) {
  return element(
    "div.question",
    element("span.item-head", element("b", inquiry), timeElement(at)),
    element("p", question),
    element("p.hint", paths.join(", ")),
    element("code", `fdtool answer ${inquiry} --ask`),
  );
}

/** What was stored on each of the last days, and in all. */
function growthPart({ days, fds, size, more }) {
  const most = Math.max(1, ...days.map((day) => day.bytes));
  const row = (day) => dayRow(day.day, counted(day.fds, "fd"), day.size, day.bytes, most);
  const all = `${more ? "The newest " : "In all "}${counted(fds, "fd")}, ${size}`;
  return chartPart("Growth of the store", fds === 0 ? [] : days.map(row), all);
}

/** What was printed on each of those days and neither shown nor read later. */
function savedPart({ message, facts }) {
  const most = Math.max(1, ...facts.day.map((day) => day.printed_chars));
  const row = (day) => {
    const saved = Math.max(0, day.saved_chars);
    const share = Math.floor(100 * saved / Math.max(1, day.printed_chars));
    const size = `${share} % of ${counted(day.printed_chars, "char")}`;
    return dayRow(day.of, counted(day.outputs, "output"), size, saved, most);
  };
  return chartPart("What it saved", facts.day.toReversed().map(row), message);
}

function chartPart(title, rows, hint) {
  const table = rows.length > 0 && element("table", element("tbody", ...rows));
  return element("section", element("h2", title), table, element("p.hint", hint));
}

function dayRow(day, count, size, value, most) {
  const name = DAY.format(new Date(`${day}T12:00`));
  const meter = { max: String(most), value: String(value), "aria-label": `${name}: ${size}` };
  const cells = [count, size, element("meter", meter)].map((cell) => element("td", cell));
  return element("tr", element("th", { scope: "row" }, name), ...cells);
}

customElements.define("start-view", StartView);
