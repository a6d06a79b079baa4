// A module that a configuration names: `strategy: custom`.

import type { SchedulingStrategy } from "../../src/scheduling/scheduling-strategy.ts";

export const strategy: SchedulingStrategy = { selectTask: (ready) => ready.at(-1)! };
