// What a person looks for first: what runs, what failed, what waits for an answer, what was written, how the store grows.

import { counted, element, notice, sizeText, timeElement } from "./element.js";
import { stepItem } from "./journal_view.js";
import { ask } from "./request.js";
import { runItem } from "./run_list.js";

const ROWS = 6;
const DAY = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });

/** The lines that matter most of failed runs, by fd. They stay as they are. */
const decisiveLines = new Map();

class StartView extends HTMLElement {
  async open(allowUndo) {
    this.allowUndo = allowUndo;
    this.replaceChildren(notice("Opening …"));
    await this.load();
  }

  /** Loads everything again; the link that has the focus keeps it. */
  async load() {
    try {
      const [running, failed, questions, { steps }, growth] = await Promise.all([
        ask("fds", { show: "live", limit: ROWS }),
        ask("fds", { show: "failed", limit: ROWS }),
        ask("questions"),
        ask("log", { limit: ROWS }),
        ask("growth"),
      ]);
      const focused = document.activeElement?.dataset.place;
      const hadFocus = this.contains(document.activeElement);
      const undo = this.allowUndo ? "Open a step to undo it." : "fdtool undo tx:N undoes a step.";
      this.replaceChildren(
        part("Running now", running.fds.map(runItem), "Nothing is running."),
        part("Failed", failed.fds.map(runItem), "Nothing failed."),
        part("Waiting for an answer", questions.map(questionItem), "No question is open."),
        part("Written to files", steps.map(stepItem), "No file was written with fdtool yet.", undo),
        growthPart(growth),
      );
      void this.#showDecisive(failed.fds);
      if (hadFocus) this.querySelector(`[data-place="${focused}"]`)?.focus();
    } catch (thrown) {
      if (thrown.status !== undefined) this.replaceChildren(notice(thrown.message, true));
    }
  }

  /** Adds to each failed run the line that matters most in it. */
  async #showDecisive(rows) {
    for (const { fd } of rows) {
      if (!decisiveLines.has(fd)) {
        const { findings, decisive } = await ask("findings", { fd }).catch(() => ({ findings: [] }));
        decisiveLines.set(fd, findings.find(({ line }) => line === decisive)?.text);
      }
      const text = decisiveLines.get(fd);
      const link = this.querySelector(`[data-place="${fd}"]`);
      if (text !== undefined && link?.children.length === 3) link.append(element("span.item-finding", text));
    }
  }
}

function part(title, items, none, hint = "") {
  const list = items.length === 0
    ? element("p.hint", none)
    : element("ul.items", ...items.map((item) => element("li", item)));
  return element(
    "section",
    element("h2", title),
    list,
    items.length > 0 && hint !== "" && element("p.hint", hint),
  );
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
function growthPart({ days, fds, bytes, more }) {
  const most = Math.max(1, ...days.map((day) => day.bytes));
  const row = (day) => {
    const name = DAY.format(new Date(`${day.day}T12:00`));
    const label = `${name}: ${sizeText(day.bytes)}`;
    return element(
      "tr",
      element("th", { scope: "row" }, name),
      element("td", counted(day.fds, "fd")),
      element("td", sizeText(day.bytes)),
      element("td", element("meter", { max: String(most), value: String(day.bytes), "aria-label": label })),
    );
  };
  return element(
    "section",
    element("h2", "Growth of the store"),
    fds === 0
      ? element("p.hint", "Nothing is stored yet.")
      : element("table", element("tbody", ...days.map(row))),
    element("p.hint", `${more ? "The newest " : "In all "}${counted(fds, "fd")}, ${sizeText(bytes)}`),
  );
}

customElements.define("start-view", StartView);
