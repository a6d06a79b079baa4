import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/**
 * One process runs many of these files and loads the sources once, which is a third of the time. Not tests that start many
 * processes: a start copies the tables of memory, and takes three times as long in a process that has grown.
 */
const TOGETHER = [
  "packages/*/src/**/*.test.ts",
  "packages/{kernel,planner,segno}/test/**/*.test.ts",
  "packages/engine/test/{calls,engine,flow,golden,http,labels,orchestration,running,scheduling,sinks,threads,waiting}/**/*.test.ts",
];
/** These replace a module, or change a source before they import it. */
const ALONE = [
  "packages/engine/src/runners/process/{marker-scan,terminate-tree}.test.ts",
  "packages/engine/test/engine/stacks.test.ts",
  "packages/segno/test/work-done-once.test.ts",
];
/** Left out of `npm run test:quick`. */
const SLOW = ["tidy/{packed,api-examples}.test.ts", "packages/*/src/**/hostile-*.test.ts"];
const ALL = [
  "packages/*/src/**/*.test.ts",
  "packages/*/test/**/*.test.ts",
  "tidy/**/*.test.ts",
  "examples/order/*.test.ts",
];
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
    globalSetup: ["tidy/fresh-bundle.ts", "packages/code/test/git/sample-templates.ts"],
    projects: [
      {
        extends: true,
        test: { ...SHARED, name: "together", include: TOGETHER, exclude: [...ALONE, ...SLOW], isolate: false },
      },
      { extends: true, test: { ...SHARED, name: "alone", include: ALL, exclude: [...TOGETHER, ...SLOW] } },
      { extends: true, test: { ...SHARED, name: "slow", include: SLOW } },
      { extends: true, test: { ...SHARED, name: "own-modules", include: ALONE } },
    ],
  },
});
