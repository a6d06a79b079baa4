// A process with threads and no more work: it should exit by itself.

import { pathToFileURL } from "node:url";
import { SystemEnvironment } from "../../src/clock/system-environment.ts";
import { ThreadRunner } from "../../src/runners/thread/thread-runner.ts";
import { SampleAttempt } from "./sample-attempt.ts";

/** The state of the threads when the process runs out of work. */
export const SCENES = ["resting", "resting, then closed", "looping, then closed", "closed before they began"] as const;

export async function runScene(scene: string, path: string): Promise<void> {
  const exportName = scene.startsWith("looping") ? "loop" : "quick";
  const runner = new ThreadRunner(
    {
      eventLoop: new SystemEnvironment(),
      modules: { resolve: () => ({ path, exportName }) },
      report: (error) => process.stdout.write(`${String(error)}\n`),
    },
    { size: 2, idleMs: 3_600_000 },
  );
  const attempts = [new SampleAttempt(), new SampleAttempt(), new SampleAttempt()];
  for (const attempt of attempts) runner.start(attempt);
  if (scene.startsWith("resting")) await runner.idle();
  if (scene.startsWith("looping")) await attempts[0]!.said("began");
  if (scene.includes("closed")) await runner.close();
  process.stdout.write(`${attempts.map(({ calls }) => calls.join("+")).join(" ")}\n`);
  if (scene.includes("closed")) process.stdout.write(`left: ${workersLeft()}\n`);
}

function workersLeft(): string {
  return process
    .getActiveResourcesInfo()
    .filter((name) => /Worker|MessagePort|Timeout/u.test(name))
    .join(" ");
}

if (pathToFileURL(process.argv[1]!).href === import.meta.url) await runScene(process.argv[2]!, process.argv[3]!);
