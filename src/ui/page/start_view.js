// What a person looks for first: what runs, what failed, what waits for an answer, what was written, how the store grows.

import { element, endingElement, notice, sizeText, timeElement } from "./element.js";
import { itemLink } from "./item_list.js";
import { ask } from "./request.js";

const ROWS = 6;
const DAYS = 7;
const MAX_COUNTED = 500;
const DAY = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });

class StartView extends HTMLElement {
  async open() {
    this.replaceChildren(notice("Opening …"));
    try {
      const [running, failed, questions, { steps }, all] = await Promise.all([
        ask("fds", { show: "live", limit: ROWS }),
        ask("fds", { show: "failed", limit: ROWS }),
        ask("questions"),
        ask("log", { limit: ROWS }),
        ask("fds", { show: "all", limit: MAX_COUNTED }),
      ]);
      this.replaceChildren(
        part("Running now", running.fds.map(runItem), "Nothing is running."),
        part("Failed", failed.fds.map(runItem), "Nothing failed."),
        part("Waiting for an answer", questions.map(questionItem), "No question is open."),
        part("Written to files", steps.map(stepItem), "No file was written with fdtool yet."),
        growth(all),
      );
    } catch (thrown) {
      this.replaceChildren(notice(thrown.message, true));
    }
  }
}

function part(title, items, none) {
  const list = items.length === 0
    ? element("p.hint", none)
    : element("ul.items", ...items.map((item) => element("li", item)));
  return element("section", element("h2", title), list);
}

function runItem(row) {
  const facts = [endingElement(row), timeElement(row.created)];
  return itemLink(
    row.fd,
    facts,
    row.command ?? row.source,
    `${sizeText(row.bytes)}${row.cwd ? ` · ${row.cwd}` : ""}`,
  );
}

function questionItem({ inquiry, question, paths, at }) {
  return element(
    "div.question",
    element("b", inquiry),
    " ",
    timeElement(at),
    element("p", question),
    element("p.hint", paths.join(", ")),
  );
}

function stepItem(step) {
  return itemLink(
    step.tx,
    [element("span.ending.kept", step.state), timeElement(step.at)],
    step.paths.join(", "),
    step.intent ?? step.tool,
  );
}

/** The bytes stored on each of the last days. */
function growth({ fds, more }) {
  const days = new Map();
  for (const { created, bytes } of fds) {
    const day = DAY.format(new Date(created));
    const { count, sum } = days.get(day) ?? { count: 0, sum: 0 };
    days.set(day, { count: count + 1, sum: sum + bytes });
  }
  // The day of the oldest of many may have more than was counted.
  const shown = [...days].slice(0, more ? -1 : undefined).slice(0, DAYS);
  const most = Math.max(1, ...shown.map(([, { sum }]) => sum));
  const row = ([day, { count, sum }]) =>
    element(
      "tr",
      element("th", { scope: "row" }, day),
      element("td", `${count} fds`),
      element("td", sizeText(sum)),
      element(
        "td",
        element("meter", {
          min: "0",
          max: String(most),
          value: String(sum),
          "aria-label": `${day}: ${sizeText(sum)}`,
        }),
      ),
    );
  return element(
    "section",
    element("h2", "Stored by day"),
    shown.length === 0
      ? element("p.hint", more ? "More than 500 fds were stored today." : "Nothing is stored yet.")
      : element("table", element("tbody", ...shown.map(row))),
  );
}

customElements.define("start-view", StartView);
