import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "packages/*/test/**/*.test.ts", "tidy/**/*.test.ts"],
    testTimeout: 120_000,
    pool: "threads",
    maxWorkers: 2,
  },
});
