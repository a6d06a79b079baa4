// Repetitions: a step that repeats a function a thousand times, against a chain of a thousand steps, with fsync.

import { join } from "node:path";
import { Engine, repeat, workflow } from "@segno/engine";
import { contest } from "./contest.ts";
import { AGENTS, makeChain, run } from "./engine-workflows.ts";
import { figure, ms, type Figure } from "./figure.ts";
import { withFolder } from "./folder.ts";

const ITERATIONS = 1000;

const repeating = workflow("repeating").step(
  "turns",
  repeat({ first: 0, until: ({ last }) => last === ITERATIONS, max: ITERATIONS }, ({ last }) => last + 1),
);

export function benchRepeat(): Promise<readonly Figure[]> {
  return withFolder(async (folder) => {
    await using engine = await Engine.open({ file: join(folder, "engine.db"), agents: AGENTS });
    const chain = makeChain(ITERATIONS);
    const { oursMs, baselineMs } = await contest({
      ours: async () => void (await (await engine.start(repeating, null)).result()),
      baseline: () => run(engine, chain),
      rounds: 21,
      warmUps: 10,
    });
    const ratio = oursMs / baselineMs;
    return [
      figure(
        `repeat: ${ITERATIONS} iterations against ${ITERATIONS} steps`,
        ratio,
        1.3,
        `${ms(oursMs)} against ${ms(baselineMs)}`,
      ),
    ];
  });
}
