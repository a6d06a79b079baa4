import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "packages/*/test/**/*.test.ts", "tidy/**/*.test.ts"],
    testTimeout: 120_000,
    // Hooks run engines and commands, too; the default of 10 seconds is too short on a busy machine.
    hookTimeout: 120_000,
    // Below the timeout of a test, so that the failed expectation is reported. The default is one second.
    expect: { poll: { timeout: 100_000 } },
    // Processes, not threads: isolates that share a process can end it all through faults of V8 (its register of
    // WebAssembly code is one for the process), and then no result is left of any file.
    pool: "forks",
    maxWorkers: 2,
    env: {
      // Nothing is left in the home folder of whoever runs the tests.
      XDG_STATE_HOME: join(tmpdir(), "segno-test-state"),
      // Programs that tests start load hundreds of sources; those that have not changed are compiled once.
      NODE_COMPILE_CACHE: join(tmpdir(), "segno-test-compiled"),
    },
  },
});
