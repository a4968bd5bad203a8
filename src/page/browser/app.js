// The page: which view is shown (the part of the address after #), keys, and news of the store.

import { element, showDialog } from "./element.js";
import { ask } from "./request.js";
import "./diff_view.js";
import "./fd_view.js";
import "./journal_view.js";
import "./run_list.js";
import { soughtIn } from "./search_fields.js";
import "./search_view.js";
import "./start_view.js";
import { setTitle, takeStates, watchedIds } from "./watched_runs.js";

const NEWS_MS = 1500;

const main = document.getElementById("main-pane");
const panes = document.getElementById("panes");
const side = document.getElementById("side");
const runs = document.querySelector("run-list");
const journal = document.querySelector("journal-list");
let start = { allowUndo: false, allowRun: false, store: "", version: "" };

/**
 * Shows what the address names: `#runs`, `#journal`, `#search?pattern=x`, `#fd:3`, `#fd:3:1200?pattern=x`,
 * `#diff:fd:1:fd:2`, `#tx:4`.
 */
async function route() {
  const [, written, query] = /^#?([^?]*)\??(.*)$/.exec(location.hash);
  const place = decodeURIComponent(written);
  const [, oldFd, newFd] = /^diff:((?:fd:|ref:)?[\w.-]+):((?:fd:|ref:)?[\w.-]+)$/.exec(place) ?? [];
  const [, fd, line] = /^((?:fd|ref):[\w.-]+?)(?::(\d+))?$/.exec(place) ?? [];
  const isStep = /^tx:\d+$/.test(place);
  const isJournal = place === "journal" || isStep;
  showSide(isJournal);
  panes.classList.toggle("has-content", place !== "runs" && place !== "journal");
  const here = isJournal ? "journal" : place === "" || place === "search" ? place : "runs";
  for (const link of document.querySelectorAll("nav a")) {
    link.ariaCurrent = link.hash.slice(1) === here ? "page" : null;
  }
  setTitle(place === "" ? "fdtool" : `${place} · fdtool`);
  runs.chosen = fd;
  journal.chosen = isJournal ? place : undefined;
  if (oldFd !== undefined) await shown("diff-view").open(oldFd, newFd);
  else if (fd !== undefined) {
    await shown("fd-view").open(fd, line && Number(line), soughtIn(query), start.allowRun);
  } else if (isStep) await shown("step-view").open(place, start.allowUndo);
  else if (isJournal) {
    main.replaceChildren(element("p.hint.welcome", "Choose a step to see what it changed."));
  } else if (place === "search") await shown("search-view").open(soughtIn(query));
  else await shown("start-view").open(start.allowUndo);
}

function shown(name) {
  const view = document.createElement(name);
  main.replaceChildren(view);
  return view;
}

function showSide(isJournal) {
  runs.hidden = isJournal;
  journal.hidden = !isJournal;
  side.setAttribute("aria-label", isJournal ? "Journal" : "Runs");
  if (isJournal) void journal.load();
}

let last = "";

/** Asks whether anything is new; if so, loads the lists that show it. */
async function news() {
  try {
    const watched = watchedIds();
    if (!document.hidden || watched.length > 0) {
      const asked = [...new Set([...watched, ...runs.live])].slice(0, 50);
      const { mark, live } = await ask("news", { live: asked.join(",") });
      await takeStates(live);
      if (mark !== last) {
        await runs.load();
        if (!journal.hidden) await journal.load();
        await view("start-view")?.load();
      }
      last = mark;
    }
  } catch {
    // The alert says so if the server has ended.
  }
  setTimeout(news, NEWS_MS);
}

const KEYS = {
  "/": () => fdView() === undefined ? runs.focusFilter() : fdView().fields.focus(),
  s: () => location.hash = "#search",
  n: () => fdView()?.nextMatch("next"),
  N: () => fdView()?.nextMatch("previous"),
  p: () => fdView()?.nextMatch("previous"),
  g: () => fdView()?.focusLine(),
  f: () => fdView()?.toggleFollow(),
  w: () => fdView()?.wrapBox.click(),
  c: () => fdView()?.copy(),
  m: () => fdView()?.toggleMatters(),
  z: () => fdView()?.toggleFold(false),
  Z: () => fdView()?.toggleFold(true),
  e: () => fdView()?.openPlace(),
  o: () => location.hash = "#",
  r: () => location.hash = "#runs",
  j: () => location.hash = "#journal",
  "?": showKeys,
};

const HELP = [
  ["↑ ↓", "previous and next line, or run"],
  ["PageUp PageDown", "a screen up or down"],
  ["Home End", "first and last line"],
  ["Enter", "open the run, or the line as it is stored"],
  ["/ s", "search in this fd, or filter the runs; search everything stored"],
  ["n p", "next and previous match or, without a search, finding"],
  ["g", "go to a line, or to a time such as 14:05"],
  ["f", "pause or resume following a running command"],
  ["w", "wrap long lines"],
  ["Shift+↑ Shift+↓ c", "choose lines, copy them with their numbers"],
  ["m", "only what matters, or all lines"],
  ["z Z", "fold or unfold the group of this line, or all groups"],
  ["e", "open the first file or address that the line names"],
  ["o r j", "overview, runs, journal"],
  ["Esc", "back to the list"],
];

function showKeys() {
  const rows = HELP.flatMap(([keys, about]) => [
    element("dt", ...keys.split(" ").flatMap((key) => [element("kbd", key), " "])),
    element("dd", about),
  ]);
  showDialog("keys", "Keys", [element("h2", "Keys"), element("dl", ...rows)]);
}

function view(name) {
  return main.querySelector(name) ?? undefined;
}

/** The fd that is open, unless it is still to be opened or cannot be. */
function fdView() {
  return view("fd-view")?.list === undefined ? undefined : view("fd-view");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) {
    return;
  }
  const isField = event.target.matches('input:not([type="checkbox"]), select, textarea');
  if (event.key === "Escape") {
    const content = isField && main.contains(event.target)
      ? main.querySelector("row-list, search-view")
      : null;
    if (content !== null) content.focus();
    else (journal.hidden ? runs : journal).focus();
    event.preventDefault();
  } else if (!isField && Object.hasOwn(KEYS, event.key)) {
    event.preventDefault();
    KEYS[event.key]();
  }
});
document.getElementById("keys").addEventListener("click", showKeys);
main.addEventListener("written", () => {
  void journal.load();
  void route();
});
addEventListener("hashchange", () => void route());

start = await ask("start");
document.getElementById("store").textContent = start.store;
document.getElementById("store").title = `fdtool ${start.version}, store ${start.store}`;
await Promise.all([runs.load(), route()]);
void news();
