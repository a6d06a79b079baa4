// A process that opens an engine, runs something, closes it, reports that, and then has nothing left to do.

import { Engine } from "../../src/index.ts";
import { afterWaiting, one } from "./sample-flow.ts";

/** The activity of the process when it closes. */
export const SCENES = ["nothing", "a result", "a hanging agent", "a timer", "a follower", "no store"] as const;

async function runCase(name: string, file: string): Promise<void> {
  const agents = { work: async () => "done", hangs: () => new Promise(() => undefined) };
  const engine = await Engine.open({ agents, ...(name === "no store" ? { store: "none" } : { file }) });
  const follower = name === "a follower" ? await Engine.open({ file, agents }) : undefined;
  if (name === "a result" || name === "no store") await (await engine.start(one())).result();
  if (name === "a timer") await engine.start(afterWaiting(3_600_000));
  if (name === "a hanging agent") await engine.start(one({ agent: "hangs", timeout: 3_600_000 as never }));
  engine.subscribe({}, () => undefined);
  await follower?.close();
  await engine.close();
}

if (import.meta.filename === process.argv[1]) {
  await runCase(process.argv[2]!, process.argv[3]!);
  process.stdout.write("closed\n");
}
