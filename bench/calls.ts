// Recorded calls: a handler that makes a hundred of them in a row, against a chain of a hundred steps, with fsync.

import { join } from "node:path";
import { Engine, workflow } from "@segno/engine";
import { contest } from "./contest.ts";
import { AGENTS, makeChain, run } from "./engine-workflows.ts";
import { figure, ms, type Figure } from "./figure.ts";
import { withFolder } from "./folder.ts";

const CALLS = 100;

const calling = workflow("calling").step("all", async ({ run: call }) => {
  for (let made = 0; made < CALLS; made++) await call("call", () => null);
});

export function benchCalls(): Promise<readonly Figure[]> {
  return withFolder(async (folder) => {
    await using engine = await Engine.open({ file: join(folder, "engine.db"), agents: AGENTS });
    const chain = makeChain(CALLS);
    const { oursMs, baselineMs } = await contest({
      ours: async () => void (await (await engine.start(calling, null)).result()),
      baseline: () => run(engine, chain),
      rounds: 101,
      warmUps: 50,
    });
    const ratio = oursMs / baselineMs;
    return [
      figure(
        `run-calls: ${CALLS} recorded calls against ${CALLS} steps`,
        ratio,
        1.3,
        `${ms(oursMs)} against ${ms(baselineMs)}`,
      ),
    ];
  });
}
