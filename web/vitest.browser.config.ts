import { defineConfig } from "vitest/config";

// Tests in a real browser against the real binary; one server for all of them.
export default defineConfig({
  test: {
    include: [process.env["PAGE_SCREENSHOTS"] ? "test/browser/screenshots.ts" : "test/browser/**/*.browser.ts"],
    globalSetup: ["test/browser/setup.ts"],
    environment: "node",
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
