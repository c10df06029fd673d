import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/model/**/*.test.ts", "test/layout/**/*.test.ts"],
    environment: "node",
    pool: "threads",
  },
});
