/**
 * The frame of every chart: size, title, colours for light and dark, and a background, since page and system may differ
 * in their colour scheme.
 */

/** Escapes text for SVG. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** Formats a number for SVG, the same on every machine. */
export function coordinate(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Text at a place; `look` are classes of the style sheet. */
export function textAt(x: number, y: number, text: string, look = ""): string {
  const classes = look === "" ? "" : ` class="${look}"`;
  return `<text x="${coordinate(x)}" y="${coordinate(y)}"${classes}>${escaped(text)}</text>\n`;
}

/** The width of every chart. */
export const PAGE_WIDTH = 880;

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 16px; font-weight: 600 } .quiet { fill: #59636e; font-size: 12px } .end { text-anchor: end }
.middle { text-anchor: middle } .missed { font-weight: 600 }
.page { fill: #ffffff } .grid { stroke: #d1d9e0 } .goal { stroke: #1f2328; stroke-width: 1.5 }
.stretch-goal { stroke: #59636e; stroke-width: 1.5; stroke-dasharray: 3 2 }
.bar-stretch { fill: #1a7f6b } .bar-now { fill: #3b82c4 } .bar-missed { fill: #d0612a } .bar-none { fill: #9aa4ae }
.line { fill: none; stroke-width: 2 }
.series-0 { stroke: #3b82c4 } .series-1 { stroke: #d0612a } .series-2 { stroke: #1a7f6b }
.series-3 { stroke: #8250df } .series-4 { stroke: #9a6700 } .series-5 { stroke: #bf3989 }
.dashed { stroke-dasharray: 6 4 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .quiet { fill: #9198a1 } .page { fill: #0d1117 } .grid { stroke: #3d444d }
.goal { stroke: #f0f6fc } .stretch-goal { stroke: #9198a1 } .bar-none { fill: #656c76 }
}`;

/** A chart with its title, a line below it, and what it shows. */
export function svgPage(title: string, below: string, height: number, body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${PAGE_WIDTH}" height="${height}" ` +
    `viewBox="0 0 ${PAGE_WIDTH} ${height}" role="img">\n` +
    `<title>${escaped(`${title}. ${below}`)}</title>\n<style>${STYLE}\n</style>\n` +
    `<rect class="page" width="100%" height="100%" rx="6"/>\n` +
    textAt(16, 28, title, "title") + textAt(16, 48, below, "quiet") + body + "</svg>\n";
}
