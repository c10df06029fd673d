/**
 * The elements that are on the page. What comes into view is made, what leaves
 * it is removed, and no frame does more than a bounded part of either.
 */
import type { Detail } from "./card.ts";

/** Elements that one frame makes at most, and how long it may take about that, in milliseconds. */
export const sliceElements = 1200;
const sliceTime = 8;
/** What removing counts as, in elements made. */
const removal = 3;
/** Elements that a frame makes however slow the machine is, so that a drawing always gets done. */
const leastElements = 60;

/** What one frame may still do. */
export class Slice {
  private room = sliceElements;
  private readonly until = performance.now() + sliceTime;
  /** Whether something was left for the next frame. */
  full = false;

  /** Takes so much of the frame; false when nothing is left of it. */
  take(elements: number): boolean {
    const late = this.room <= sliceElements - leastElements && performance.now() > this.until;
    if (this.room <= 0 || late) this.full = true;
    else this.room -= elements;
    return !this.full;
  }
}

/** Something to be drawn. */
export interface Piece {
  id: string;
  /** What it is made of; made of something else, it is made anew. */
  of: object;
  detail: Detail;
  /** Elements that it has, about. */
  size: number;
  shown: boolean;
  layer: SVGGElement;
  /** Its element: a new one, or the one that is on the page, changed. */
  make(): SVGElement;
}

export interface Entry {
  element: SVGElement;
  of: object;
  detail: Detail;
}

export class Mounted {
  private readonly entries = new Map<string, Entry>();
  private gone: SVGElement[] = [];

  get(id: string): Entry | undefined {
    return this.entries.get(id);
  }

  all(): IterableIterator<[string, Entry]> {
    return this.entries.entries();
  }

  /** Whether a piece is not yet as it should be. */
  differs(id: string, of: object, detail: Detail, shown: boolean): boolean {
    const entry = this.entries.get(id);
    return shown ? entry === undefined || entry.of !== of || entry.detail !== detail : entry !== undefined;
  }

  /** Brings a piece to the state that it should have, or leaves it for the next frame. */
  settle(piece: Piece, slice: Slice): void {
    if (piece.shown) {
      if (slice.take(piece.size)) this.mount(piece);
    } else if (slice.take(removal)) {
      this.drop(piece.id);
    }
  }

  /** Makes a piece at once. */
  mount(piece: Piece): void {
    const element = piece.make();
    const old = this.entries.get(piece.id);
    if (old === undefined) piece.layer.append(element);
    else if (old.element !== element) old.element.replaceWith(element);
    this.entries.set(piece.id, { element, of: piece.of, detail: piece.detail });
  }

  private drop(id: string): void {
    this.entries.get(id)?.element.remove();
    this.entries.delete(id);
  }

  /** Gives up an element whose piece is no longer there; it is removed when there is time. */
  forget(id: string): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    this.gone.push(entry.element);
    this.entries.delete(id);
  }

  /** Removes what was given up. */
  clean(slice: Slice): void {
    while (this.gone.length > 0 && slice.take(removal)) this.gone.pop()!.remove();
  }
}
