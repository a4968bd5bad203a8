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

/** Thrown for text that is not XML as above. */
class XmlError extends Error {}

const TOKEN = /<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/gy;
const DECLARATION = /^\uFEFF?(?:<\?xml\s[^?<>]*\?>)?\s*/;

/** Returns the root element of `text`; undefined if it is not XML as above. */
export function xmlIn(text: string): XmlElement | undefined {
  try {
    return readXml(text);
  } catch (thrown) {
    if (!(thrown instanceof XmlError)) throw thrown;
    return undefined;
  }
}

function readXml(text: string): XmlElement {
  const top: XmlElement = { name: "", text: "", children: [] };
  const open = [top];
  const token = new RegExp(TOKEN);
  token.lastIndex = DECLARATION.exec(text)![0].length;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (match === null) throw new XmlError();
    const [whole, isEnd, name, attributes = "", isEmpty] = match;
    const parent = open.at(-1)!;
    if (name === undefined) {
      parent.text += unescaped(whole);
    } else if (isEnd === "/") {
      if (parent.name !== name || open.length === 1 || attributes !== "" || isEmpty !== "") {
        throw new XmlError();
      }
      close(parent);
      open.pop();
    } else {
      const element: XmlElement = { name, text: "", children: [] };
      parent.children.push(element);
      if (isEmpty === "") open.push(element);
    }
  }
  if (open.length > 1) throw new XmlError();
  close(top);
  const [root, ...others] = top.children;
  if (root === undefined || others.length > 0) throw new XmlError();
  return root;
}

/** Between children only white space may appear. */
function close(element: XmlElement): void {
  if (element.children.length === 0 && element.name !== "") return;
  if (element.text.trim() !== "") throw new XmlError();
  element.text = "";
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescaped(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&([^;]{0,10});?/g, (whole, name: string) => {
    const known = Object.hasOwn(ENTITIES, name) && whole.endsWith(";") ? ENTITIES[name] : undefined;
    if (known !== undefined) return known;
    const [, decimal, hexadecimal] = /^#(?:([0-9]{1,7})|x([0-9A-Fa-f]{1,6}))$/.exec(name) ?? [];
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hexadecimal ?? "", 16);
    if (!whole.endsWith(";") || !(code > 0 && code <= 0x10ffff) || (code >= 0xd800 && code < 0xe000)) {
      throw new XmlError();
    }
    return String.fromCodePoint(code);
  });
}

/** The text of the child `name`, if there is exactly one. */
export function childText(element: XmlElement, name: string): string | undefined {
  const found = element.children.filter((child) => child.name === name);
  return found.length === 1 && found[0]!.children.length === 0 ? found[0]!.text : undefined;
}
