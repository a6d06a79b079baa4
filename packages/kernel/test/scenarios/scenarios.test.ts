// Every scenario, and whether together they went through every transition that there is.

import { describe, expect, it } from "vitest";

import { EXECUTION_TRANSITIONS, STEP_TRANSITIONS } from "../../src/decide/transitions.ts";
import { progress } from "./progress.ts";
import { exercised } from "./run.ts";
import { play, type Scenario } from "./scenario.ts";

const TOPICS: Readonly<Record<string, readonly Scenario[]>> = { progress };

describe.each(Object.entries(TOPICS))("%s", (_, scenarios) => {
  it.each(scenarios.map((each) => [each.name, each] as const))("%s", (_name, each) => {
    play(each);
  });
});

describe("the table of transitions", () => {
  it("STATE-2 STATE-1 has no row that no scenario goes through", () => {
    const rows = [...STEP_TRANSITIONS, ...EXECUTION_TRANSITIONS].map(({ from, on, to }) => `${from} ${on} ${to}`);
    expect(rows.filter((row) => !exercised.has(row))).toEqual([]);
  });
});
