// How the lines of a log are spread over time: bars that a slider goes along, to the first line of each.

import { counted, element } from "./element.js";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const MIN_SHARE = 0.06;

/** The slider; `goTo` is called with a line, and lines with findings are marked. `show(line)` puts it where a line is. */
export function timeBars({ form, fromMs, toMs, firsts }, findings, goTo) {
  const counts = firsts.slice(0, -1).map((first, at) => firsts[at + 1] - first);
  const most = Math.max(1, ...counts);
  const textOf = (bar) => {
    const found = findings.filter((line) => line >= firsts[bar] && line < firsts[bar + 1]).length;
    const begins = momentText(fromMs + bar / counts.length * (toMs - fromMs), form, toMs - fromMs);
    return `${begins}: ${counted(counts[bar], "line")}${found > 0 ? `, ${counted(found, "finding")}` : ""}`;
  };
  const bars = counts.map((count, bar) => {
    const made = element("i", { class: / finding/.test(textOf(bar)) && "failed", title: textOf(bar) });
    made.style.height = count === 0 ? "0" : `${100 * Math.max(MIN_SHARE, count / most)}%`;
    return made;
  });
  const now = element("span.now");
  const slider = element("input", {
    type: "range",
    min: "0",
    max: String(counts.length - 1),
    value: "0",
    "aria-label": "Time of the lines",
    oninput: () => {
      goTo(firsts[Number(slider.value)]);
      tell();
    },
    onpointermove: ({ offsetX }) => {
      const bar = Math.floor(offsetX / slider.clientWidth * counts.length);
      slider.title = textOf(Math.max(0, Math.min(counts.length - 1, bar)));
    },
  });
  const tell = () => {
    now.textContent = textOf(Number(slider.value));
    slider.setAttribute("aria-valuetext", now.textContent);
  };
  return {
    parts: [element("div.bars", { "aria-hidden": "true" }, ...bars), slider, now],
    show(line) {
      slider.value = String(
        Math.max(0, firsts.findLastIndex((first, bar) => first <= line && counts[bar] > 0)),
      );
      tell();
    },
  };
}

/** A moment as the log writes it: its zone is not known. */
function momentText(ms, form, spanMs) {
  if (form === "seconds") return `${(ms / 1000).toFixed(3)} s`;
  const [date, time] = new Date(ms).toISOString().split("T");
  const clock = time.slice(0, spanMs < MINUTE_MS ? 12 : 8);
  return form === "date" && spanMs >= DAY_MS ? `${date.slice(5)} ${clock}` : clock;
}
