// A search in everything stored: the matching lines of each fd, newest first, each a link to its place.

import { counted, element, grouped, notice } from "./element.js";
import { pieces } from "./fd_lines.js";
import { ItemList } from "./item_list.js";
import { runItem } from "./run_list.js";
import { searchFields, soughtQuery } from "./search_fields.js";

class SearchView extends ItemList {
  fields = searchFields("Search everything stored", [element("button", "Search")], () => {
    const hash = `#search${soughtQuery(this.fields.sought)}`;
    if (location.hash === hash) void this.#run();
    else location.hash = hash;
  });
  head = [element("header.fd-head", element("h2", "Search")), element("div.tools", this.fields.form)];

  disconnectedCallback() {
    this.fields.stop();
  }

  /** Shows the matches of what is sought, if anything is. */
  async open(sought) {
    this.fields.sought = sought;
    this.fields.focus();
    if (sought.pattern !== "") await this.#run();
    else this.items.append(notice("The lines that match are listed for each fd, the newest first."));
  }

  async #run() {
    this.items.replaceChildren();
    const query = soughtQuery(this.fields.sought);
    await this.fields.search({}, endText, (news) => {
      if (news.type === "fd") this.items.append(groupOf(news, query));
    });
  }
}

function endText({ found, fds, searched, unlisted, unreadable }) {
  const all = counted(searched, "fd");
  return (found === 0 ? `No match in ${all}` : `${counted(found, "line")} in ${grouped(fds)} of ${all}`) +
    (unlisted > 0 ? ` · the ${grouped(unlisted)} oldest are not listed` : "") +
    (unreadable > 0 ? ` · ${counted(unreadable, "fd")} could not be read` : "");
}

function groupOf({ row, total, lines }, query) {
  const head = runItem(row);
  head.href += query;
  const rest = total - lines.length;
  const lineItem = (line) => {
    const text = element("span.text", line.from && "…", ...pieces(line), line.cut && "…");
    const href = `#${row.fd}:${line.n}${query}`;
    return element("li", element("a", { href }, element("span.number", grouped(line.n)), text));
  };
  const more = rest > 0 && element("li.hint", `${counted(rest, "more line")}`);
  return element("li.group", head, element("ol", ...lines.map(lineItem), more));
}

customElements.define("search-view", SearchView);
