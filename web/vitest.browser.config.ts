import { defineConfig } from "vitest/config";

const files: Record<string, string> = { screenshots: "test/browser/screenshots.ts", measure: "test/browser/measure.ts" };

// Tests in a real browser against the real binary; one server for all of them.
// PAGE_RUN names what is done instead of testing.
export default defineConfig({
  test: {
    include: [files[process.env["PAGE_RUN"] ?? ""] ?? "test/browser/**/*.browser.ts"],
    globalSetup: ["test/browser/setup.ts"],
    environment: "node",
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
