/** Files of what is drawn: SVG and PNG uncropped, CSV and JSON of the same nodes and edges. */
import type { EdgeInfo } from "../model/types.ts";
import type { View } from "../model/view.ts";
import { s } from "../ui/dom.ts";
import { breathe, inSlices } from "../ui/slices.ts";
import { drawMore, drawNode, lightNode } from "./card.ts";
import { drawLine, markers } from "./line.ts";
import { fontFamily } from "./measure.ts";
import { extent, type Card } from "./picture.ts";
import type { Scene } from "./scene.ts";

const margin = 32;

/** What decides how an element looks, with the value that it has without being told. */
const looks: [name: string, initial: string][] = [
  ["fill", "rgb(0, 0, 0)"],
  ["fill-opacity", "1"],
  ["stroke", "none"],
  ["stroke-width", "1px"],
  ["stroke-dasharray", "none"],
  ["stroke-linecap", "butt"],
  ["stroke-linejoin", "miter"],
  ["opacity", "1"],
  ["font-size", "16px"],
  ["font-weight", "400"],
];

/** The look of an element as attributes; null for one that is not shown. */
type Style = [name: string, value: string][] | null;

/**
 * Writes how each element looks into its attributes. So the file needs no style
 * sheet, which many programs do not read and a strict page does not apply. An
 * element's look follows from the classes of it and of what it is in, so it is
 * asked once for each of their chains.
 */
class Inliner {
  private readonly styles = new Map<string, Style>();

  inline(element: Element, chain: string): void {
    for (const child of [...element.children]) {
      if (child.classList.contains("hit")) {
        child.remove();
        continue;
      }
      const own = `${chain}>${child.tagName} ${child.getAttribute("class") ?? ""}`;
      const style = child.tagName === "title" ? [] : this.style(child, own);
      if (style === null) child.remove();
      else style.forEach(([name, value]) => child.setAttribute(name, value));
      if (style !== null) this.inline(child, own);
    }
  }

  private style(element: Element, chain: string): Style {
    const known = this.styles.get(chain);
    if (known !== undefined) return known;
    const computed = getComputedStyle(element);
    const style = computed.display === "none" ? null : looks.map(([name]): [string, string] => [name, computed.getPropertyValue(name)]).filter(([, value], index) => value !== "" && value !== looks[index]![1]);
    this.styles.set(chain, style);
    return style;
  }
}

/** Characters that XML cannot hold at all; a name may have them. */
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** A picture as a file: the parts of one document, each small enough to be drawn at a stretch. */
export interface Drawing {
  /** The start tag with what all parts need. */
  head: string;
  parts: readonly string[];
  width: number;
  height: number;
}

/** Nodes or lines that are drawn at a stretch. */
const partSize = 24;

function* inParts<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += partSize) yield items.slice(at, at + partSize);
}

/** Draws everything, on the screen or not, with a yield after every part. */
function* drawAll(scene: Scene): Generator<void, Drawing> {
  const picture = scene.drawing;
  const all = extent(picture);
  const width = Math.ceil(all.right - all.left + 2 * margin);
  const height = Math.ceil(all.bottom - all.top + 2 * margin);
  const { diff, centres } = scene.lightsNow;
  const part = s("g");
  const svg = s("svg", { class: "scene exported", width, height, viewBox: `${all.left - margin} ${all.top - margin} ${width} ${height}` }, part);
  const serializer = new XMLSerializer();
  const inliner = new Inliner();
  const finish = (className: string, ...elements: Element[]): string => {
    part.setAttribute("class", className);
    part.replaceChildren(...elements);
    document.body.append(svg); // elements have a look only within a page
    inliner.inline(part, className);
    svg.remove();
    return serializer.serializeToString(part).replace(notXml, "\ufffd");
  };
  const node = (c: Card) => {
    const made = drawNode(c, { centre: centres.includes(c.key), focusable: false, diff }, "whole");
    lightNode(made, scene.lookOf(c.key));
    return made;
  };
  svg.setAttribute("font-family", fontFamily);
  const defs = finish("defs", markers());
  const parts = [finish("ground", s("rect", { class: "paper", x: all.left - margin, y: all.top - margin, width, height }))];
  for (const lines of inParts(picture.lines)) yield void parts.push(finish("lines", ...lines.map((line) => drawLine(line, diff, true))));
  for (const cards of inParts([...picture.cards.values()])) yield void parts.push(finish("cards", ...cards.map(node)));
  for (const more of inParts(picture.more)) yield void parts.push(finish("cards", ...more.map(drawMore)));
  part.remove();
  const open = serializer.serializeToString(svg).replace(/\/>$/, ">");
  return { head: open + defs, parts, width, height };
}

/** Everything drawn as SVG. */
export const toSvg = (scene: Scene): Promise<Drawing> => inSlices(drawAll(scene));

/** The file's text, in pieces. */
export const svgText = ({ head, parts }: Drawing): string[] => [head, ...parts, "</svg>"];

/** Longest side of a PNG in pixels; browsers refuse much larger canvases. */
const longestSide = 12000;

/** The same as a PNG, at twice the size where that fits, drawn part by part. */
export async function toPng(scene: Scene): Promise<Blob> {
  const { head, parts, width, height } = await toSvg(scene);
  const scale = Math.min(2, longestSide / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  for (const part of parts) {
    const image = await loadImage(`${head}${part}</svg>`);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    await breathe();
  }
  return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob === null ? reject(new Error("the picture is too large for this browser")) : resolve(blob)), "image/png"));
}

async function loadImage(svg: string): Promise<HTMLImageElement> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** A cell of CSV; one that a spreadsheet would take for a formula is made text. */
export function csvCell(value: string | number | boolean | undefined): string {
  let text = value === undefined ? "" : String(value);
  if (/^[=+\-@\t\r]/.test(text) && typeof value === "string") text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines of CSV with a heading. */
export const csv = (heading: string[], lines: (string | number | boolean | undefined)[][]): string => [heading, ...lines].map((line) => line.map(csvCell).join(",")).join("\r\n") + "\r\n";

/** The drawn edges as CSV, an edge a line. */
export function edgesCsv(view: View, edges: readonly EdgeInfo[]): string {
  const name = (key: string) => view.nodes.get(key)?.info.display ?? key;
  const heading = ["from", "from_column", "to", "to_column", "level", "direct", "via", "origins", "manual", "tasks"];
  return csv(heading, edges.map((e) => [name(e.from), e.from_column, name(e.to), e.to_column, e.level, e.direct, e.via?.join(" "), e.origins.join(" "), e.with_manual, e.tasks?.join(" ")]));
}

/** The drawn nodes and edges as JSON, as the server told them. */
export const toJson = (view: View, edges: readonly EdgeInfo[]): string => JSON.stringify({ nodes: [...view.nodes.values()].map((n) => n.info), edges }, null, 2);

/** Offers a file for saving. */
export function save(name: string, content: Blob | string | string[], type = "application/octet-stream"): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content].flat(), { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
