/** The small map: all nodes as dots, and the view as a frame that can be dragged. */
import { eachFrame, h } from "../ui/dom.ts";
import { extent } from "./picture.ts";
import type { Scene } from "./scene.ts";

const size = { width: 176, height: 112 };

export class Minimap {
  readonly element: HTMLCanvasElement;
  readonly update: () => void;

  constructor(private readonly scene: () => Scene) {
    this.element = h("canvas", { class: "minimap", width: size.width * 2, height: size.height * 2, "aria-hidden": "true" });
    this.update = eachFrame(() => this.draw());
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

  private draw(): void {
    const context = this.element.getContext("2d")!;
    const { k, x, y } = this.scale();
    const style = getComputedStyle(this.element);
    context.setTransform(2, 0, 0, 2, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    const { centres } = this.scene().lightsNow;
    for (const c of this.scene().drawing.cards.values()) {
      context.fillStyle = style.getPropertyValue(centres.includes(c.key) ? "--accent" : "--map-node");
      context.fillRect(c.x * k + x, c.y * k + y, Math.max(2, c.width * k), Math.max(1.5, c.height * k));
    }
    const { transform, size: view } = this.scene();
    const [left, top] = transform.invert([0, 0]);
    context.strokeStyle = style.getPropertyValue("--accent");
    context.lineWidth = 1.5;
    context.strokeRect(left * k + x, top * k + y, (view.width / transform.k) * k, (view.height / transform.k) * k);
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
