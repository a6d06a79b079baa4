import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** Their tests change nothing outside of themselves, so one process runs many files and loads the sources once. */
const PURE = ["kernel", "contract", "planner"].map((name) => `packages/${name}/src/**/*.test.ts`);
const SHARED = {
  testTimeout: 120_000,
  // Hooks run engines and commands, too; the default of 10 seconds is too short on a busy machine.
  hookTimeout: 120_000,
  // Below the timeout of a test, so that the failed expectation is reported. The default is one second.
  expect: { poll: { timeout: 100_000 } },
  env: {
    // Nothing is left in the home folder of whoever runs the tests.
    XDG_STATE_HOME: join(tmpdir(), "segno-test-state"),
    // Threads and processes that tests start from the sources find the JavaScript of each file here. Without it each of
    // them compiles Node's parser of TypeScript, which is WebAssembly: that takes a second, and several threads that
    // do it in one process can end it by a fault of V8 (SIGSEGV, or an abort with "jit_page.has_value()").
    NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules", ".cache", "segno-tests"),
  },
};

export default defineConfig({
  resolve: {
    alias: [{ find: /^fast-check$/u, replacement: join(import.meta.dirname, "tidy", "fast-check.config.ts") }],
  },
  test: {
    // Processes, not threads: isolates that share a process can end it all through faults of V8 (its register of
    // WebAssembly code is one for the process), and then no result is left of any file.
    pool: "forks",
    maxWorkers: 2,
    projects: [
      { extends: true, test: { ...SHARED, name: "pure", include: PURE, isolate: false } },
      {
        extends: true,
        test: {
          ...SHARED,
          name: "parts",
          include: [
            "packages/*/src/**/*.test.ts",
            "packages/*/test/**/*.test.ts",
            "tidy/**/*.test.ts",
            "examples/order/*.test.ts",
          ],
          exclude: PURE,
          globalSetup: "packages/code/test/git/sample-templates.ts",
        },
      },
    ],
  },
});
