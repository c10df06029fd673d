/** Widths of text, and shortening of what does not fit. */
export const fontFamily = '"Inter", "Segoe UI", system-ui, -apple-system, "Noto Sans", "PingFang SC", "Microsoft YaHei", sans-serif';

export const fontOf = (size: number, weight = 400): string => `${weight} ${size}px ${fontFamily}`;

let context: CanvasRenderingContext2D | null = null;
const widths = new Map<string, number>();

/** Width in pixels at zoom 1. */
export function textWidth(text: string, font: string): number {
  const key = font + text;
  const known = widths.get(key);
  if (known !== undefined) return known;
  context ??= document.createElement("canvas").getContext("2d")!;
  context.font = font;
  const width = context.measureText(text).width;
  if (widths.size > 20000) widths.clear();
  widths.set(key, width);
  return width;
}

/** Where one may cut: between whole characters, so that an emoji is never halved. */
const characters = (text: string): string[] => (text.length > 400 ? [...text] : [...new Intl.Segmenter().segment(text)].map((part) => part.segment));

/** The text, or its beginning and end around an ellipsis, no wider than asked. */
export function fitText(text: string, width: number, font: string): string {
  if (text.length * 3 < width && text.length < 24) return textWidth(text, font) <= width ? text : shorten(text, width, font);
  return text.length < 300 && textWidth(text, font) <= width ? text : shorten(text, width, font);
}

function shorten(text: string, width: number, font: string): string {
  const parts = characters(text);
  let low = 0;
  let high = parts.length;
  const cut = (keep: number) => {
    const head = Math.ceil(keep * 0.6);
    const tail = keep - head;
    return parts.slice(0, head).join("") + "…" + (tail > 0 ? parts.slice(-tail).join("") : "");
  };
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(cut(middle), font) <= width) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}
