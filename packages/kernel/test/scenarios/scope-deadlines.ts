// The deadline of a map or a call.

import { durationMs } from "../../src/model/units.ts";
import { scenario, type Scenario } from "./scenario.ts";
import { parseTable } from "./table.ts";

const child = (timeout?: number) => ({
  child: {
    name: "child",
    ...(timeout === undefined ? {} : { timeout: durationMs(timeout) }),
    steps: parseTable("given p; q after p; tidy after q settled").steps,
  },
});

const call = (timeout: number) => ({
  w: { action: { kind: "workflow", workflow: "child" } as const, timeout: durationMs(timeout) },
});

export const scopeDeadlines: readonly Scenario[] = [
  scenario(
    "FAIL-4 the timeout of a calling step stops the called workflow, lets it clean up, and fails the step",
    `
    given  w workflow child; n after w
    when   start
    when   resolved w child       then  w open | armed scope-deadline w +50
    when   granted w/p
    when   later 50               then  w open | w/p cancelling | w/q skipped | w/tidy queued
    when   ended w/p fail cancelled then  w/p cancelled | w open
    when   ran w/tidy ok          then  w failed | w because ATTEMPT_TIMEOUT | n skipped | execution failed
    `,
    { steps: call(50), library: child() },
  ),
  scenario(
    "FAIL-4 the timeout of a called workflow bounds it, and only it",
    `
    given  w workflow child; n after w settled
    when   start
    when   resolved w child       then  armed scope-deadline w +30
    when   ran w/p ok
    when   granted w/q
    when   later 30               then  w/q cancelling
    when   ended w/q ok           then  w/q succeeded | w/tidy queued
    when   ran w/tidy ok          then  w failed | w because EXECUTION_TIMEOUT | n queued
    when   ran n ok               then  execution failed
    `,
    { steps: { w: { action: { kind: "workflow", workflow: "child" } } }, library: child(30) },
  ),
  scenario(
    "FAIL-4 of the two timeouts of a call the shorter one counts",
    `
    given  w workflow child
    when   start
    when   resolved w child       then  armed scope-deadline w +20
    when   granted w/p
    when   later 20
    when   ended w/p fail cancelled
    when   ran w/tidy ok          then  w failed | w because EXECUTION_TIMEOUT
    `,
    { steps: call(50), library: child(20) },
  ),
  scenario(
    "FAIL-4 the timeout of a map stops its items and skips those that have not begun",
    `
    given  m map "input" "x"
    when   start [1,2,3]          then  m open | armed scope-deadline m +50
    when   granted m/0
    when   ran m/1 ok
    when   later 50               then  m/0 cancelling | m/1 succeeded | m/2 skipped
    when   ended m/0 fail cancelled then  m failed | m because ATTEMPT_TIMEOUT | execution failed
    `,
    {
      steps: {
        m: {
          action: { kind: "map", over: "input", steps: parseTable("given x").steps },
          timeout: durationMs(50),
        },
      },
    },
  ),
  scenario(
    "FAIL-4 a scope that ends in time has no timer left",
    `
    given  w workflow child; n after w
    when   start
    when   resolved w child       then  armed scope-deadline w +50
    when   ran w/p ok
    when   ran w/q ok
    when   ran w/tidy ok          then  w succeeded | n queued | armed
    when   later 60               then  n queued
    `,
    { steps: call(50), library: child() },
  ),
  scenario(
    "FAIL-4 STATE-2 in a new round the time of a scope starts again",
    `
    given  w workflow child
    when   start
    when   resolved w child
    when   granted w/p
    when   later 50
    when   ended w/p fail cancelled
    when   ran w/tidy ok          then  execution failed
    when   later 6000
    when   retry                  then  w open | w/p queued | armed scope-deadline w +50
    when   granted w/p
    when   later 50               then  w/p cancelling | w/tidy succeeded
    when   ended w/p fail cancelled then  w failed | w because ATTEMPT_TIMEOUT | execution failed
    `,
    { steps: call(50), library: child() },
  ),
];
