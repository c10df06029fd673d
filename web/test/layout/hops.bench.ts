import { bench } from "vitest";
import { layoutByHops } from "../../src/layout/hops.ts";
import { largeGraph } from "./large.ts";

const input = largeGraph(5000);

bench("5,000 nodes laid out (limit 150 ms)", () => {
  layoutByHops(input);
});
