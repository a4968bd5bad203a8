// What is sought: the fields of a search, and how an address has it.

import { element } from "./element.js";

/** A form with a pattern and how it is matched; `buttons` follow, then what was found. */
export function searchFields({ label, placeholder, onsubmit, buttons = [] }) {
  const pattern = element("input", {
    type: "search",
    placeholder,
    "aria-label": `${label} (regular expression)`,
    title: "RE2 syntax, as fdtool search",
    spellcheck: "false",
    autocomplete: "off",
    maxlength: "1000",
  });
  const matchCase = element("input", { type: "checkbox", checked: true });
  const fixed = element("input", { type: "checkbox" });
  const found = element("span.found");
  const submit = (event) => {
    event.preventDefault();
    onsubmit();
  };
  const form = element(
    "form.search",
    { role: "search", onsubmit: submit },
    pattern,
    element("label", { title: "Match case" }, matchCase, "Aa"),
    element("label", { title: "Plain text instead of a regular expression" }, fixed, "Text"),
    ...buttons,
    found,
  );
  return {
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
    focus() {
      pattern.focus();
      pattern.select();
    },
  };
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

export function soughtIn(query) {
  const fields = new URLSearchParams(query);
  return {
    pattern: fields.get("pattern") ?? "",
    case: fields.get("case") !== "0",
    fixed: fields.get("fixed") === "1",
  };
}
