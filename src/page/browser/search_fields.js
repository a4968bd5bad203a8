// What is sought: the fields of a search, and how an address has it.

import { element, grouped, say } from "./element.js";
import { listen } from "./request.js";

/** A form with a pattern and how it is matched; `buttons` follow, then what was found. */
export function searchFields(label, buttons, onsubmit) {
  const box = (title, text, checked) =>
    element("label", { title }, element("input", { type: "checkbox", checked }), text);
  const pattern = textField(label, "1000", { title: "A regular expression, RE2 syntax, as fdtool search" });
  const cased = box("Upper and lower case differ", "Match case", true);
  const plain = box("Plain text instead of a regular expression", "Plain text", false);
  const [matchCase, fixed] = [cased.firstChild, plain.firstChild];
  const found = element("span.found");
  const submit = (event) => {
    event.preventDefault();
    onsubmit();
  };
  const attributes = { role: "search", onsubmit: submit };
  const form = element("form.search", attributes, pattern, cased, plain, ...buttons, found);
  let calling = new AbortController();
  const fields = {
    form,
    get sought() {
      return { pattern: pattern.value, case: matchCase.checked, fixed: fixed.checked };
    },
    set sought(sought) {
      pattern.value = sought.pattern;
      matchCase.checked = sought.case;
      fixed.checked = sought.fixed;
    },
    /** Says what was found, or why nothing could be. */
    tell(text, isFault = false) {
      found.textContent = text;
      found.classList.toggle("fault", isFault);
    },
    /** Ends the search that goes on, if one does. */
    stop() {
      calling.abort();
    },
    /**
     * Searches for what is sought, with `parameters`, and tells how far that is and, by `endText`, what was found. `take` gets
     * each part of the answer.
     */
    async search(parameters, endText, take, sought = fields.sought) {
      calling.abort();
      calling = new AbortController();
      fields.tell("Searching …");
      try {
        for await (const news of listen("search", { ...parameters, ...sought }, calling.signal)) {
          if (news.type === "progress") {
            const percent = Math.floor(news.done / Math.max(1, news.of) * 100);
            fields.tell(`${grouped(news.found)} so far · ${percent} %`);
          } else if (news.type === "end") {
            fields.tell(endText(news));
            say(endText(news), { isShown: false });
          }
          await take(news);
        }
      } catch (thrown) {
        if (thrown.name !== "AbortError") fields.tell(thrown.message, true);
      }
    },
    focus() {
      pattern.focus();
      pattern.select();
    },
  };
  return fields;
}

/** A field for a line of text. */
export function textField(label, maxlength, attributes) {
  const given = {
    "aria-label": label,
    placeholder: label,
    maxlength,
    spellcheck: "false",
    autocomplete: "off",
  };
  return element("input", { type: "search", ...given, ...attributes });
}

/** The end of an address with what is sought. */
export function soughtQuery({ pattern, case: matchesCase, fixed }) {
  if (pattern === "") return "";
  return `?${new URLSearchParams({
    pattern,
    ...matchesCase ? {} : { case: 0 },
    ...fixed ? { fixed: 1 } : {},
  })}`;
}

/** The pattern and how it is matched, of the end of an address. */
export function soughtIn(query) {
  const fields = new URLSearchParams(query);
  return {
    pattern: fields.get("pattern") ?? "",
    case: fields.get("case") !== "0",
    fixed: fields.get("fixed") === "1",
  };
}
