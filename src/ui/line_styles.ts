/** The colours that a terminal would have shown a line in (ECMA-48, SGR; 256 and true colours as in ITU T.416). */

/** A range of a line (in UTF-16 units): classes of the page, and colours that are no classes. */
export type StyledRange = readonly [from: number, to: number, classes: string, colors?: Colors | undefined];

interface Colors {
  fg?: string | undefined;
  bg?: string | undefined;
}

interface Style {
  classes: ReadonlySet<string>;
  /** The class (`fg1`, `bg12`) or colour of the text, and of its ground. */
  fg?: string | undefined;
  bg?: string | undefined;
}

/** Any other sequence than SGR moves the cursor or wipes, so that text and bytes differ in order. */
// deno-lint-ignore no-control-regex
const SGR = /\x1b\[([\d;:]*)m/g;
const ATTRIBUTES: Readonly<Record<number, string>> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  7: "inverse",
  9: "struck",
};
/** The attributes that a code ends. */
const ENDED: Readonly<Record<number, readonly string[]>> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
  29: ["struck"],
};
/** The most ranges of a line. */
const MAX_RANGES = 200;

const PLAIN: Style = { classes: new Set() };

/** The ranges of `text`, the clean view of `stored`, that are styled; none if more than its colours was taken out. */
export function styledRanges(stored: string, text: string): StyledRange[] {
  const ranges: StyledRange[] = [];
  let [plain, style, at] = ["", PLAIN, 0];
  const take = (piece: string) => {
    const { classes, fg, bg } = style;
    const [names, colors] = [[...classes], {} as Colors];
    for (const [ground, color] of [["fg", fg], ["bg", bg]] as const) {
      if (color?.startsWith(ground)) names.push(color);
      else if (color !== undefined) colors[ground] = color;
    }
    const to = Math.min(text.length, plain.length + piece.length);
    if ((names.length > 0 || style.fg !== undefined || style.bg !== undefined) && plain.length < to) {
      ranges.push([plain.length, to, names.join(" "), Object.keys(colors).length > 0 ? colors : undefined]);
    }
    plain += piece;
  };
  for (const match of stored.matchAll(SGR)) {
    take(stored.slice(at, match.index));
    at = match.index + match[0].length;
    style = styleAfter(style, match[1]!);
  }
  take(stored.slice(at));
  return plain.startsWith(text) && ranges.length <= MAX_RANGES ? ranges : [];
}

function styleAfter(before: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let style = before;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!;
    const attribute = ATTRIBUTES[code];
    const tens = Math.floor(code / 10);
    if (code === 0) style = PLAIN;
    else if (attribute !== undefined) style = { ...style, classes: new Set([...style.classes, attribute]) };
    else if (ENDED[code] !== undefined) {
      style = {
        ...style,
        classes: new Set([...style.classes].filter((name) => !ENDED[code]!.includes(name))),
      };
    } else if (tens === 3 || tens === 4 || tens === 9 || tens === 10) {
      const ground = tens === 3 || tens === 9 ? "fg" : "bg";
      const color = code % 10;
      if (color === 8) {
        const isIndex = codes[at + 1] === 5;
        style = {
          ...style,
          [ground]: isIndex ? indexed(codes[at + 2], ground) : rgb(codes.slice(at + 2, at + 5)),
        };
        at += isIndex ? 2 : 4;
      } else {
        const index = color + (tens >= 9 ? 8 : 0);
        style = { ...style, [ground]: color === 9 ? undefined : `${ground}${index}` };
      }
    }
  }
  return style;
}

/** A colour of the 256: 16 named ones, a cube of 6 × 6 × 6, and 24 greys. */
function indexed(index: number = 0, ground: string): string {
  if (index < 16) return `${ground}${index}`;
  if (index >= 232) return rgb([8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10]);
  const level = (step: number) => step === 0 ? 0 : 55 + step * 40;
  const cube = index - 16;
  return rgb([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

function rgb([red = 0, green = 0, blue = 0]: readonly number[]): string {
  return `rgb(${[red, green, blue].map((part) => Math.min(255, part || 0)).join(" ")})`;
}
