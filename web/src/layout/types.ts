/** What a layout is given and gives back. Lengths are in the canvas's own units (pixels at zoom 1). */
export interface LayoutNode {
  key: string;
  width: number;
  height: number;
}

export interface LayoutEdge {
  id: string;
  from: string;
  to: string;
}

export interface Point {
  x: number;
  y: number;
}

export interface LayoutInput {
  nodes: LayoutNode[];
  edges: LayoutEdge[];
  centres: string[];
  /** Where nodes stood before: they keep their order. */
  previous: Record<string, Point>;
}

export interface Layout {
  /** Top left corner of each node. */
  at: Record<string, Point>;
  /** Points that an edge bends at between its ends; edges that need none are left out. */
  bends: Record<string, Point[]>;
  engine: "hops" | "elk";
}

export const layerGap = 96;
export const rowGap = 22;
