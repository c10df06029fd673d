/** Long work in slices, so that the page answers between them. */

/** Lets the browser answer what waits: input first, then a frame. */
export const breathe = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

/** Ends the present task; what follows is done in one of its own. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Milliseconds that a slice may take. */
const sliceTime = 12;

/** Runs the work to its end, with a breath after every slice. A step is what lies between two yields. */
export async function inSlices<T>(work: Generator<unknown, T>): Promise<T> {
  for (;;) {
    const until = performance.now() + sliceTime;
    do {
      const { done, value } = work.next();
      if (done) return value;
    } while (performance.now() < until);
    await breathe();
  }
}
