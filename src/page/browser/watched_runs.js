// Runs that a reader has seen running: when one fails, the title and the icon of the page say so until the reader acts, and
// a notification if the browser may show it.

import { endingElement, say } from "./element.js";
import { ask } from "./request.js";

const watched = new Set();
let title = document.title;
let hasFailed = false;

/** The ids of the runs that are watched. */
export function watchedIds() {
  return [...watched];
}

/** Watches a running command, by its handle. */
export function watchRun(fd) {
  watched.add(fd.slice("fd:".length));
}

/** Sets the title of the page. */
export function setTitle(text) {
  title = text;
  document.title = hasFailed ? `✗ ${title}` : title;
}

function show(failed) {
  hasFailed = failed;
  setTitle(title);
  document.querySelector('link[rel="icon"]').href = failed ? "icon-failed.svg" : "icon.svg";
}

for (const event of ["pointerdown", "keydown"]) addEventListener(event, () => hasFailed && show(false), true);

/** Takes the states of runs, `[id, state]`, and tells of those that have ended with a failure. */
export async function takeStates(states) {
  for (const [id, state] of states) {
    if (state === "live" || !watched.delete(id)) continue;
    const row = await ask("fd", { fd: `fd:${id}` });
    const ending = endingElement(row);
    if (!ending.classList.contains("ok")) tell(row, ending.textContent);
  }
}

function tell({ fd, title: command = fd }, ending) {
  show(true);
  say(`${command}: ${ending}`);
  if (globalThis.Notification?.permission !== "granted") return;
  const notification = new Notification(`${command}: ${ending}`, {
    body: fd,
    tag: fd,
    icon: "icon-failed.svg",
  });
  notification.onclick = () => {
    focus();
    location.hash = `#${fd}`;
  };
}
