/** Glyphs of 16 by 16, drawn for this page. */
const glyphs: Record<string, string> = {
  table: "M2 3.5h12v9H2zM2 6.5h12M6 6.5v6M10 6.5v6",
  view: "M1.5 8c2-3.2 4.2-4.7 6.5-4.7S12.5 4.8 14.5 8c-2 3.2-4.2 4.7-6.5 4.7S3.5 11.2 1.500 8zM8 6.100a1.900 1.900 0 1 1 0 3.800a1.900 1.900 0 0 1 0-3.800",
  topic: "M2 4.500h8M2 8h12M2 11.500h8M11.500 3l1.700 1.500-1.700 1.500M11.500 10l1.700 1.500-1.700 1.500",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  model: "M8 2l5.500 3v6L8 14l-5.500-3V5zM2.500 5L8 8l5.500-3M8 8v6",
  task: "M8 5.200a2.800 2.800 0 1 1 0 5.600a2.800 2.800 0 0 1 0-5.600M8 1.800v2M8 12.200v2M1.800 8h2M12.200 8h2M3.600 3.600l1.400 1.400M11 11l1.400 1.400M12.400 3.600L11 5M5 11l-1.400 1.400",
  realtime: "M9 1.800L3.500 9H8l-1 5.200L12.500 7H8z",
  api: "M5.500 4.500L2 8l3.500 3.500M10.500 4.500L14 8l-3.500 3.500",
  metric: "M2.500 13V9.500M6.200 13V5.500M9.900 13V7.500M13.500 13V3",
  tag: "M2.500 2.500h5.500l5.500 5.500-5.500 5.500-5.500-5.500zM5.300 5.300v.1",
  dashboard: "M2.500 2.500h5v6h-5zM9.500 2.500h4v3h-4zM9.500 7.500h4v6h-4zM2.500 10.500h5v3h-5z",
  lock: "M4 7.500h8v6H4zM5.700 7.500V5.300a2.300 2.300 0 0 1 4.600 0v2.200",
  warning: "M8 2.300L14.500 13.500h-13zM8 6.500v3.200M8 11.500v.2",
  search: "M7 2.500a4.500 4.500 0 1 1 0 9a4.500 4.500 0 0 1 0-9M10.300 10.300L14 14",
  branch: "M5 2.500v11M5 10c0-3 6-2 6-5.500M5 2.500v0M11 4.500v0M3.500 13.500h3M9.500 3h3",
};

/** The glyph of a kind or, failing that, of its family. */
export function glyphOf(family: string, kind: string): string {
  if (kind === "realtime") return glyphs.realtime!;
  if (kind === "view" || kind === "materialized_view") return glyphs.view!;
  if (kind === "topic") return glyphs.topic!;
  if (kind === "file_set" || kind === "stage") return glyphs.file!;
  if (kind === "model") return glyphs.model!;
  return glyphs[family === "dataset" ? "table" : family] ?? glyphs.table!;
}

/** A glyph by its name. */
export const glyph = (name: string): string => glyphs[name] ?? "";
