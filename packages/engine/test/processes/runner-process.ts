// A separate process that runs commands, so that tests can kill it.

import { onExit } from "signal-exit";
import { SystemEnvironment } from "../../src/clock/system-environment.ts";
import { ProcessRunner } from "../../src/runners/process/process-runner.ts";
import { ProcessGroup } from "../../src/runners/process/process-group.ts";
import { SharedByTrees } from "../../src/runners/process/shared-by-trees.ts";
import { FakeAttempt } from "./fake-attempt.ts";

const guardFile = new URL("../../src/runners/process/exit-guard.ts", import.meta.url).href;

const [, , task = "", marker = "", script = ""] = process.argv;

if (task === "signal-exit") onExit(() => {});
if (task === "two-copies") {
  const copy = (await import(`${guardFile}?copy`)) as { killOnExit(group: ProcessGroup, marker: string): void };
  copy.killOnExit(new ProcessGroup(process.pid), "none");
}
if (task === "listen") process.on("SIGTERM", () => process.stdout.write("heard\n"));
const environment = new SystemEnvironment();
const trees = new SharedByTrees({ report: () => {} });
const runner = new ProcessRunner({ eventLoop: environment, cwd: process.cwd(), trees });
const attempt = new FakeAttempt(marker, { action: { kind: "run", script } });
runner.start(attempt);
await attempt.said(/ready\n/u);
process.stdout.write(attempt.bytes("stdout"));
if (task === "exit") process.exit(0);
if (task === "throw")
  setImmediate(() => {
    throw new Error("nobody catches this");
  });
