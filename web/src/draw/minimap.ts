/** The small map: all nodes as dots, and the view as a frame that can be dragged. */
import { eachFrame, h } from "../ui/dom.ts";
import { extent, type Card, type Picture } from "./picture.ts";
import type { Scene } from "./scene.ts";

const size = { width: 176, height: 112 };

/** Colours that the map is drawn in, as the page has them now. */
interface Colours {
  node: string;
  accent: string;
}

export class Minimap {
  readonly element: HTMLCanvasElement;
  readonly update: () => void;
  /** The nodes, drawn once for each picture and set of colours. */
  private readonly nodes = document.createElement("canvas");
  private drawn: Picture | null = null;
  private colours: Colours | null = null;

  constructor(
    private readonly scene: () => Scene,
    until: AbortSignal,
  ) {
    const pixels = { width: size.width * 2, height: size.height * 2 };
    this.element = h("canvas", { class: "minimap", ...pixels, "aria-hidden": "true" });
    Object.assign(this.nodes, pixels);
    this.update = eachFrame(() => this.draw());
    const recolour = () => {
      this.colours = null;
      this.drawn = null;
      this.update();
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour, { signal: until });
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      this.go(event);
    });
    this.element.addEventListener("pointermove", (event) => event.buttons === 1 && this.go(event));
  }

  /** How the drawing is scaled into the map. */
  private scale() {
    const all = extent(this.scene().drawing);
    const margin = 8;
    const k = Math.min((size.width - 2 * margin) / (all.right - all.left), (size.height - 2 * margin) / (all.bottom - all.top), 0.25);
    return { k, x: size.width / 2 - ((all.left + all.right) / 2) * k, y: size.height / 2 - ((all.top + all.bottom) / 2) * k };
  }

  /** Asked once, because the answer makes the browser style the page at once. */
  private palette(): Colours {
    if (this.colours === null) {
      const style = getComputedStyle(this.element);
      this.colours = { node: style.getPropertyValue("--map-node"), accent: style.getPropertyValue("--accent") };
    }
    return this.colours;
  }

  private draw(): void {
    const context = this.element.getContext("2d")!;
    const { k, x, y } = this.scale();
    const { accent } = this.palette();
    if (this.drawn !== this.scene().drawing) this.drawNodes();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, 2 * size.width, 2 * size.height);
    context.drawImage(this.nodes, 0, 0);
    context.setTransform(2, 0, 0, 2, 0, 0);
    const { transform, size: view } = this.scene();
    const inside = (at: number, length: number) => Math.min(length - 1, Math.max(1, at)); // a view larger than the map frames all of it
    const onMap = ([a, b]: [number, number]): [number, number] => [inside(a * k + x, size.width), inside(b * k + y, size.height)];
    const [left, top] = onMap(transform.invert([0, 0]));
    const [right, bottom] = onMap(transform.invert([view.width, view.height]));
    context.strokeStyle = accent;
    context.lineWidth = 1.5;
    context.strokeRect(left, top, right - left, bottom - top);
  }

  private drawNodes(): void {
    const context = this.nodes.getContext("2d")!;
    const { k, x, y } = this.scale();
    const { node, accent } = this.palette();
    const { drawing, lightsNow } = this.scene();
    context.setTransform(2, 0, 0, 2, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    const dot = (c: Card) => context.fillRect(c.x * k + x, c.y * k + y, Math.max(2, c.width * k), Math.max(1.5, c.height * k));
    context.fillStyle = node;
    for (const c of drawing.cards.values()) dot(c);
    context.fillStyle = accent;
    for (const key of lightsNow.centres) if (drawing.cards.has(key)) dot(drawing.cards.get(key)!);
    this.drawn = drawing;
  }

  private go(event: PointerEvent): void {
    const frame = this.element.getBoundingClientRect();
    const { k, x, y } = this.scale();
    const scene = this.scene();
    const at = { x: (event.clientX - frame.left - x) / k, y: (event.clientY - frame.top - y) / k };
    const zoomed = scene.transform.k;
    scene.setView(scene.size.width / 2 - at.x * zoomed, scene.size.height / 2 - at.y * zoomed, zoomed);
  }
}
