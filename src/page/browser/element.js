// Elements, and how numbers, times and states are written. Text is only ever set as text.

/**
 * An element `name.class` with attributes, if the first of `parts` is a plain object, and children; `on…` adds a listener,
 * `false` and undefined leave out.
 */
export function element(name, ...parts) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  if (classes.length > 0) made.className = classes.join(" ");
  const hasAttributes = typeof parts[0] === "object" && !(parts[0] instanceof Node);
  for (const [key, value] of Object.entries(hasAttributes ? parts.shift() : {})) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...parts.filter((child) => child !== undefined && child !== false));
  return made;
}

const GROUPED = new Intl.NumberFormat("en");

export function grouped(number) {
  return GROUPED.format(number);
}

export function counted(number, word) {
  return `${grouped(number)} ${word}${number === 1 ? "" : word.endsWith("ch") ? "es" : "s"}`;
}

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const MINUTE_MS = 60_000;

/** How long ago something was; after a week, the day. */
function agoText(iso) {
  const date = new Date(iso);
  const minutes = Math.floor((Date.now() - date) / MINUTE_MS);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  const days = Math.floor(minutes / 24 / 60);
  return days < 7 ? `${days} d ago` : DAY.format(date);
}

/** How long ago, with the date on hover. */
export function timeElement(iso) {
  return element("time", { datetime: iso, title: new Date(iso).toLocaleString() }, agoText(iso));
}

setInterval(() => {
  for (const time of document.querySelectorAll("time")) time.textContent = agoText(time.dateTime);
}, MINUTE_MS / 2);

/** How a run ended: the kind of that, which is its class, and words. */
function ending({ state, exit, signal }) {
  if (state === "live") return ["live", "running"];
  if (signal !== undefined) return ["failed", signal];
  if (state === "incomplete") return ["incomplete", "cut off"];
  if (exit === undefined) return ["kept", "stored"];
  return [exit === 0 ? "ok" : "failed", `exit ${exit}`];
}

export function endingElement(row) {
  const [kind, text] = ending(row);
  return element(`span.ending.${kind}`, text);
}

const RUN_MARKS = { ok: "✓", failed: "✗", incomplete: "✗", live: "…", kept: "·" };
const BAR_PIXELS = 13;

/** The last runs of a command, oldest first: how each ended, and a bar as high as it was long; with `areLinks`, links to them. */
export function historyElement({ runs }, areLinks = false) {
  if (runs.length < 2) return undefined;
  const longest = Math.max(1, ...runs.map(({ ms = 0 }) => ms));
  const marks = runs.toReversed().map((run) => {
    const [kind, text] = ending(run);
    const title = `${run.fd}: ${text}, ${agoText(run.created)}`;
    const link = areLinks ? { href: `#${run.fd}`, "aria-label": title } : {};
    const mark = element(
      `${areLinks ? "a" : "span"}.run.${kind}`,
      { title, ...link },
      element("i"),
      RUN_MARKS[kind],
    );
    mark.firstChild.style.height = `${Math.max(2, Math.round((run.ms ?? 0) / longest * BAR_PIXELS))}px`;
    return mark;
  });
  const endings = runs.toReversed().map((run) => ending(run)[1]).join(", ");
  const label = `The last ${runs.length} runs, oldest first: ${endings}`;
  return element("span.history", { role: areLinks ? "group" : "img", "aria-label": label }, ...marks);
}

/** Since when a command fails, if its last run failed and the one before it, too. */
export function failingText({ failing }) {
  if (failing === undefined || failing.runs < 2) return undefined;
  return `failed ${failing.runs} times in a row, first ${agoText(failing.since)}`;
}

/** Tells a sentence to screen readers, and shows it for a while, unless it is to be seen elsewhere. */
export function say(text, { isShown = true } = {}) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.classList.toggle("shown", isShown);
  clearTimeout(say.timer);
  say.timer = setTimeout(() => said.classList.remove("shown"), 4000);
}

/** What a reader chose. A cookie, not the storage of this address, whose port is another one each time. */
export function cookie(name) {
  const written = document.cookie.split("; ").find((each) => each.startsWith(`${name}=`));
  return written && decodeURIComponent(written.slice(name.length + 1));
}

/** Sets it for a year; "" removes it. */
export function setCookie(name, value) {
  const age = value === "" ? 0 : 31536000;
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=${age}; samesite=strict`;
}

/** A message in place of content. */
export function notice(text, isFault = false) {
  const attributes = { class: isFault ? "notice fault" : "notice", role: isFault ? "alert" : undefined };
  return element("p", attributes, text);
}

/**
 * Returns the answer to a call; while it is waited for, `place` says so, and if it fails, why. Returns undefined if `place`
 * has been left meanwhile.
 */
export async function awaited(place, waiting, call) {
  place.replaceChildren(notice(waiting));
  try {
    const answer = await call;
    return place.isConnected ? answer : undefined;
  } catch (thrown) {
    if (thrown.name !== "AbortError") place.replaceChildren(notice(thrown.message, true));
  }
}

/** The heading of a view: how to go back to `list`, a title, facts, and more. */
export function viewHead(list, title, facts, ...more) {
  const back = element("a.back", { href: list }, "Back");
  return element("header.fd-head", back, element("h2", ...title), facts, ...more);
}

/** Shows `content` in a dialog above the page, with `buttons` that close it. */
export function showDialog(kind, label, content, buttons = [element("button", "Close")]) {
  const dialog = element(
    "dialog",
    { class: kind, "aria-label": label, onclose: () => dialog.remove() },
    ...content,
    element("form", { method: "dialog" }, ...buttons),
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
