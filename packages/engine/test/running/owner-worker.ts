// A process with an engine whose main-thread agent owns a process; the tests end it in different ways.

import { dirname } from "node:path";
import { loadContract } from "@segno/contract";
import { Engine, type StepContext } from "../../src/index.ts";

/** Arguments: the journal, the script of the owned process, and what the process does when it reads a line from stdin. */
export const OWNER_WORKER: string = import.meta.filename;

export const OWNER_CONTRACT = "name: owns\nsteps: [{ id: work, agent: work }]\n";

if (OWNER_WORKER === process.argv[1]) {
  const [file, script, task] = process.argv.slice(2) as [string, string, "exit" | "wait"];
  const cwd = dirname(file);
  const argv = ["/bin/sh", "-c", script];
  const work = (_: unknown, context: StepContext): Promise<unknown> =>
    engine.extensions.spawn(context, { argv, cwd, env: {} }).mainExit;
  const engine = await Engine.open({ file, cwd, agents: { work } });
  await engine.start(loadContract(OWNER_CONTRACT), null, { id: "first" });
  process.stdin.once("data", () => {
    if (task === "exit") process.exit(0);
  });
}
