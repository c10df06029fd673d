/** Names for the shapes that the server answers with, so that the model depends on one file of generated types. */
import type { components } from "../api/lineage.gen.ts";

type Schemas = components["schemas"];

export type NodeInfo = Schemas["Node"];
export type ColumnInfo = Schemas["Column"];
export type EdgeInfo = Schemas["Edge"];
export type ManualEdge = Schemas["ManualEdge"];
export type FlinkTable = Schemas["FlinkTable"];
export type SqlError = Schemas["SQLError"];
export type Answer = Schemas["Graph"];
export type Truncated = Schemas["Truncated"];

/** Canonical key of a node: `family|namespace|name`. */
export type Key = string;

/** A side of a drawn node: upstream is left, downstream right. */
export type Side = "left" | "right";

/** What a node is to the centre; a node may hold several at once. */
export type Role = "root" | "parent" | "child";

/** What the server calls a side. */
export const wireSide = (side: Side): "up" | "down" => (side === "left" ? "up" : "down");

/** The page's word for a side of the server. */
export const pageSide = (side: "up" | "down"): Side => (side === "up" ? "left" : "right");

export const otherSide = (side: Side): Side => (side === "left" ? "right" : "left");

/** Why a request failed, in the server's words. */
export interface Fault {
  /** HTTP status; 0 when the server could not be reached. */
  status: number;
  code: string;
  message: string;
}
