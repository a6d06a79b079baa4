// Every scenario, and whether together they made every transition of the table.

import { describe, expect, it } from "vitest";

import { EXECUTION_TRANSITIONS, STEP_TRANSITIONS } from "../../src/state/transitions.ts";
import { barriers } from "./barriers.ts";
import { cancelling } from "./cancelling.ts";
import { compensating } from "./compensating.ts";
import { deadlocks } from "./deadlocks.ts";
import { expansions } from "./expansions.ts";
import { failing } from "./failing.ts";
import { fallbacks } from "./fallbacks.ts";
import { maps } from "./maps.ts";
import { repeats } from "./repeats.ts";
import { pausing } from "./pausing.ts";
import { progress } from "./progress.ts";
import { retrying } from "./retrying.ts";
import { rounds } from "./rounds.ts";
import { exercised } from "./run.ts";
import { runScenario, type Scenario } from "./scenario.ts";
import { scopeDeadlines } from "./scope-deadlines.ts";
import { skipping } from "./skipping.ts";
import { timeouts } from "./timeouts.ts";
import { tolerated } from "./tolerated.ts";
import { undoing, undoingRounds } from "./undoing.ts";
import { waits } from "./waits.ts";
import { workflows } from "./workflows.ts";

const TOPICS: Readonly<Record<string, readonly Scenario[]>> = {
  progress,
  skipping,
  failing,
  retrying,
  timeouts,
  fallbacks,
  cancelling,
  pausing,
  compensating,
  undoing: [...undoing, ...undoingRounds],
  rounds,
  tolerated,
  waits,
  barriers,
  maps,
  repeats,
  workflows,
  expansions,
  scopeDeadlines,
  deadlocks,
};

for (const [topic, scenarios] of Object.entries(TOPICS)) {
  describe(topic, () => {
    for (const each of scenarios) it(each.name, () => void runScenario(each));
  });
}

describe("the table of transitions", () => {
  it("STATE-1 STATE-2 has no row that no scenario goes through", () => {
    const rows = [...STEP_TRANSITIONS, ...EXECUTION_TRANSITIONS].map(({ from, on, to }) => `${from} ${on} ${to}`);
    expect(rows.filter((row) => !exercised.has(row))).toEqual([]);
  });
});
