// A journal may end when all children of a scope have ended and the scope has not: a full turn is cut there.

import { describe, expect, it } from "vitest";

import { advance } from "../../src/rules/advance.ts";
import { foldAll } from "../../src/state/fold.ts";
import { attemptsUnderWay } from "../../src/views/progress.ts";
import { createState, type State } from "../../src/state/state.ts";
import { epochMs, stepIndex } from "../../src/model/units.ts";
import type { Run } from "./run.ts";
import { runScenario } from "./scenario.ts";
import { parseTable } from "./table.ts";

const storedValues = { value: () => undefined, checkSchema: () => [] };

/** The fold without the last two events: those that end the scope and the execution. */
function beforeSettling({ state, journal }: Run): State {
  expect(journal.slice(-3).map(({ kind }) => kind)).toEqual([
    "step.cancelled",
    "step.cancelled",
    "execution.cancelled",
  ]);
  return foldAll(createState(state.program), journal.slice(0, -2));
}

const map = runScenario({
  table: `
    given  m map "input" "x"
    when   start [1]
    when   granted m/0
    when   cancel abort           then  m, m/0 cancelling
    when   ended m/0 fail cancelled then  execution cancelled
  `,
});

const expansion = runScenario({
  table: `
    given  a
    when   start
    when   ran a expand one
    when   granted a/x
    when   cancel abort           then  a, a/x cancelling
    when   ended a/x fail cancelled then  execution cancelled
  `,
  expansions: { one: { kind: "expanded", steps: parseTable("given x").steps } },
});

describe.each([
  { name: "map", run: map, epoch: 0 },
  { name: "step that asked for steps", run: expansion, epoch: 1 },
])("a $name that is being stopped and whose children have all ended", ({ run, epoch }) => {
  const step = stepIndex(0);
  const at = epochMs(run.now + 60_000);

  it("STATE-9 FAIL-9 is not a running attempt, and reports about an attempt are ignored", () => {
    const state = beforeSettling(run);
    expect(attemptsUnderWay(state)).toEqual([]);
    const lost = advance(state, { kind: "lost", at, step, epoch, reason: "crash" }, storedValues);
    expect(lost.reply).toMatchObject({ kind: "ignored", reason: "stale" });
  });

  it("STATE-9 CANCEL-5 ends by itself, also when its grace is over or the result of its attempt comes again", () => {
    const due = { kind: "due", at, timer: { kind: "grace-end", step, epoch } } as const;
    const ended = { kind: "ended", at, step, epoch, outcome: { kind: "skipped", message: "" } } as const;
    for (const happening of [due, ended]) {
      const { events } = advance(beforeSettling(run), happening, storedValues);
      expect(events.map((event) => [event.kind, "ended" in event && event.ended])).toEqual([
        ["step.cancelled", "itself"],
        ["execution.cancelled", false],
      ]);
    }
  });
});
