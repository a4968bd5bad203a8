// A search in everything stored: the matching lines of each fd, newest first, each a link to its place.

import { counted, element, endingElement, grouped, notice, say, timeElement } from "./element.js";
import { pieces } from "./fd_lines.js";
import { ItemList } from "./item_list.js";
import { listen } from "./request.js";
import { searchFields, soughtQuery } from "./search_fields.js";

class SearchView extends ItemList {
  #searching = undefined;

  disconnectedCallback() {
    this.#searching?.abort();
  }

  /** Shows the matches of what is sought, if anything is. */
  async open(sought) {
    this.fields = searchFields({
      label: "Search everything stored",
      placeholder: "Search everything stored",
      onsubmit: () => {
        const hash = `#search${soughtQuery(this.fields.sought)}`;
        if (location.hash === hash) void this.#run();
        else location.hash = hash;
      },
      buttons: [element("button", "Search")],
    });
    this.append(
      element("header.fd-head", element("h2", "Search")),
      element("div.tools", this.fields.form),
    );
    this.build(() => {});
    this.fields.sought = sought;
    this.fields.focus();
    if (sought.pattern !== "") await this.#run();
    else this.items.append(notice("The lines that match are listed for each fd, the newest first."));
  }

  async #run() {
    this.#searching?.abort();
    const abort = this.#searching = new AbortController();
    const { sought } = this.fields;
    this.items.replaceChildren();
    this.fields.tell("Searching …");
    try {
      for await (const news of listen("search", sought, abort.signal)) {
        if (news.type === "fd") this.items.append(groupOf(news, soughtQuery(sought)));
        else if (news.type === "progress") {
          const percent = Math.floor(news.done / Math.max(1, news.of) * 100);
          this.fields.tell(`${counted(news.found, "line")} so far · ${percent} %`);
        } else this.#tellEnd(news);
      }
    } catch (thrown) {
      if (thrown.name !== "AbortError") this.fields.tell(thrown.message, true);
    }
  }

  #tellEnd({ found, fds, searched, unlisted, unreadable }) {
    const all = counted(searched, "fd");
    const text =
      (found === 0 ? `No match in ${all}` : `${counted(found, "line")} in ${grouped(fds)} of ${all}`) +
      (unlisted > 0 ? ` · the ${grouped(unlisted)} oldest are not listed` : "") +
      (unreadable > 0 ? ` · ${counted(unreadable, "fd")} could not be read` : "");
    this.fields.tell(text);
    say(text, { isShown: false });
  }
}

function groupOf({ row, total, lines }, query) {
  const rest = total - lines.length;
  const link = (line, ...parts) =>
    element("a", { href: `#${row.fd}${line}${query}`, "data-place": `${row.fd}${line}` }, ...parts);
  return element(
    "li.group",
    link(
      "",
      element(
        "span.item-head",
        element("b", row.fd),
        ...row.names.map((name) => element("span.name", name)),
        endingElement(row),
        element("span", counted(total, "line")),
        timeElement(row.created),
      ),
      element("span.item-command", { title: row.cwd }, row.command ?? row.source),
    ),
    element(
      "ol",
      ...lines.map((line) =>
        element(
          "li",
          link(
            `:${line.n}`,
            element("span.number", grouped(line.n)),
            element("span.text", line.from ? "…" : "", ...pieces(line), line.cut ? "…" : ""),
          ),
        )
      ),
      rest > 0 && element("li", link("", element("span.text.hint", `${counted(rest, "more line")}`))),
    ),
  );
}

customElements.define("search-view", SearchView);
