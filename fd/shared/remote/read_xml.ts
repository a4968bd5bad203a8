/**
 * Reads the XML of S3 answers: elements, text, the predefined and numeric entities. Attributes are skipped. Anything
 * else (document types, processing instructions, CDATA) is refused, as is text that is not well-formed: a listing that
 * was cut must not look like a short one.
 */

/** An element. `text` is empty if it has children. */
export interface XmlElement {
  name: string;
  text: string;
  children: XmlElement[];
}

const TOKEN = /<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/gy;
const DECLARATION = /^\uFEFF?(?:<\?xml\s[^?<>]*\?>)?\s*/;

/** Returns the root element of `text`; undefined if it is not XML as above. */
export function xmlIn(text: string): XmlElement | undefined {
  const top: XmlElement = { name: "", text: "", children: [] };
  const open = [top];
  const token = new RegExp(TOKEN);
  token.lastIndex = DECLARATION.exec(text)![0].length;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (match === null) return undefined;
    const [whole, isEnd, name, attributes = "", isEmpty] = match;
    const parent = open.at(-1)!;
    if (name === undefined) {
      const plain = unescaped(whole);
      if (plain === undefined) return undefined;
      parent.text += plain;
    } else if (isEnd === "/") {
      const isRight = parent.name === name && open.length > 1 && attributes === "" && isEmpty === "";
      if (!isRight || !isClosed(parent)) return undefined;
      open.pop();
    } else {
      const element: XmlElement = { name, text: "", children: [] };
      parent.children.push(element);
      if (isEmpty === "") open.push(element);
    }
  }
  return open.length === 1 && top.children.length === 1 && isClosed(top) ? top.children[0] : undefined;
}

/** Ends an element. Between children only white space may appear. */
function isClosed(element: XmlElement): boolean {
  if (element.children.length === 0) return true;
  const isRight = element.text.trim() === "";
  element.text = "";
  return isRight;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Returns undefined if an entity is not one of those, or not a char. */
function unescaped(text: string): string | undefined {
  let isRight = true;
  const plain = text.replace(/&([^;]{0,10};)?/g, (_, entity = "") => {
    const name = entity.slice(0, -1);
    if (Object.hasOwn(ENTITIES, name)) return ENTITIES[name]!;
    const [, decimal, hexadecimal] = /^#(?:([0-9]{1,7})|x([0-9A-Fa-f]{1,6}))$/.exec(name) ?? [];
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    const isChar = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
    isRight &&= isChar;
    return isChar ? String.fromCodePoint(code) : "";
  });
  return isRight ? plain : undefined;
}

/** The text of the child `name`, if there is exactly one. */
export function childText(element: XmlElement, name: string): string | undefined {
  const found = element.children.filter((child) => child.name === name);
  return found.length === 1 && found[0]!.children.length === 0 ? found[0]!.text : undefined;
}
