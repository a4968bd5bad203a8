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

/** As `sizeText` of src/answering/grouped_digits.ts. */
export function sizeText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let size = bytes;
  while (size >= (units[0] === "B" ? 1024 : 1023.95) && units.length > 1) {
    size /= 1024;
    units.shift();
  }
  return `${size.toFixed(units[0] === "B" ? 0 : 1)} ${units[0]}`;
}

export function durationText(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** A time of today as the clock shows it; another with its day. */
export function timeElement(iso) {
  const date = new Date(iso);
  const isToday = date.toDateString() === new Date().toDateString();
  const clock = CLOCK.format(date);
  const text = isToday ? clock : `${DAY.format(date)}, ${clock}`;
  return element("time", { datetime: iso, title: date.toLocaleString() }, text);
}

/** How a run ended, in words, and the kind of that: `ok`, `failed`, `live`, `incomplete` or `kept`. */
export function ending({ state, exit, signal }) {
  if (state === "live") return { kind: "live", text: "running" };
  if (signal !== undefined) return { kind: "failed", text: signal };
  if (state === "incomplete") return { kind: "incomplete", text: "cut off" };
  if (exit === undefined) return { kind: "kept", text: "stored" };
  return exit === 0 ? { kind: "ok", text: "exit 0" } : { kind: "failed", text: `exit ${exit}` };
}

export function endingElement(row) {
  const { kind, text } = ending(row);
  return element("span", { class: `ending ${kind}` }, text);
}

/** Tells a sentence to screen readers, and shows it for a while, unless it is to be seen elsewhere. */
export function say(text, { isShown = true } = {}) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.classList.toggle("shown", isShown);
  clearTimeout(say.timer);
  say.timer = setTimeout(() => said.classList.remove("shown"), 4000);
}

/** A message in place of content. */
export function notice(text, isFault = false) {
  const attributes = { class: isFault ? "notice fault" : "notice", role: isFault ? "alert" : undefined };
  return element("p", attributes, text);
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
