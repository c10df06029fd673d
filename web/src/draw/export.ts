/** Files of what is drawn: SVG and PNG uncropped, CSV and JSON of the same nodes and edges. */
import type { EdgeInfo } from "../model/types.ts";
import type { View } from "../model/view.ts";
import { s } from "../ui/dom.ts";
import { drawMore, drawNode } from "./card.ts";
import { drawLine, markers } from "./line.ts";
import { extent } from "./picture.ts";
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

/**
 * Writes how each element looks now into its attributes. So the file needs no
 * style sheet, which many programs do not read and a strict page does not apply.
 */
function inline(root: SVGElement): void {
  for (const element of root.querySelectorAll<SVGElement>("*")) {
    const style = getComputedStyle(element);
    if (style.display === "none" && element.closest("defs, title") === null) {
      element.setAttribute("data-hidden", "");
      continue;
    }
    for (const [name, initial] of looks) {
      const value = style.getPropertyValue(name);
      if (value !== "" && value !== initial) element.setAttribute(name, value);
    }
  }
  root.querySelectorAll("[data-hidden], .hit").forEach((element) => element.remove());
  root.setAttribute("font-family", getComputedStyle(root).fontFamily);
}

/** Characters that XML cannot hold at all; a name may have them. */
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Everything drawn, on the screen or not, as one SVG document. */
export function toSvg(scene: Scene): { text: string; width: number; height: number } {
  const picture = scene.drawing;
  const all = extent(picture);
  const width = Math.ceil(all.right - all.left + 2 * margin);
  const height = Math.ceil(all.bottom - all.top + 2 * margin);
  const { diff, centres } = scene.lightsNow;
  const cards = [...picture.cards.values()].map((c) => drawNode(c, scene.lookOf(c.key), centres.includes(c.key), false));
  const svg = s(
    "svg",
    { class: "scene exported", width, height, viewBox: `${all.left - margin} ${all.top - margin} ${width} ${height}` },
    markers(),
    s("rect", { class: "paper", x: all.left - margin, y: all.top - margin, width, height }),
    s("g", { class: "lines" }, ...picture.lines.map((line) => drawLine(line, diff))),
    s("g", { class: "cards" }, ...cards, ...picture.more.map(drawMore)),
  );
  document.body.append(svg); // elements have a look only within a page
  inline(svg);
  svg.remove();
  return { text: new XMLSerializer().serializeToString(svg).replace(notXml, "\ufffd"), width, height };
}

/** Longest side of a PNG in pixels; browsers refuse much larger canvases. */
const longestSide = 12000;

/** The same as a PNG, at twice the size where that fits. */
export async function toPng(scene: Scene): Promise<Blob> {
  const { text, width, height } = toSvg(scene);
  const scale = Math.min(2, longestSide / Math.max(width, height));
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(width * scale);
    canvas.height = Math.ceil(height * scale);
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob === null ? reject(new Error("the picture is too large for this browser")) : resolve(blob)), "image/png"));
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
export function save(name: string, content: Blob | string, type = "application/octet-stream"): void {
  const url = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
