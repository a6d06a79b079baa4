// Maps: one template for each item of a list.

import type { ActionDefinition } from "../../src/model/definition.ts";
import { stepId } from "../../src/model/units.ts";
import { scenario, type Scenario } from "./scenario.ts";
import { parseTable, type StepExtras } from "./table.ts";

const map = (
  fields: Partial<ActionDefinition & { kind: "map" }>,
  given = "x",
  extras?: StepExtras,
): { action: ActionDefinition } => ({
  action: { kind: "map", over: "input", steps: parseTable(`given ${given}`, extras).steps, ...fields },
});

export const maps: readonly Scenario[] = [
  scenario(
    "STATE-9 a map opens into its items and settles with the list of their outputs",
    `
    given  m map "input" "x"; n after m
    when   start ["p","q"]        then  m open | m/0, m/1 queued | n waiting
    when   granted m/1            then  m/1 called {"input":{"item":"q","index":1}}
    when   ended m/1 ok "Q"       then  m open
    when   ran m/0 ok "P"         then  m succeeded | m output ["P","Q"] | n queued
    when   ran n ok               then  execution completed
    `,
    { steps: { m: map({}, "x", { x: { input: { item: "${ item }", index: "${ index }" } } }) } },
  ),
  scenario(
    "STATE-7 where branches may finish, the other items of a map that fails do",
    `
    given  m map "input" "x"
    when   start [1,2,3]
    when   granted m/1
    when   ran m/0 fail permanent then  m open | m/1 running | m/2 queued
    when   ended m/1 ok
    when   ran m/2 ok             then  m failed | m/1, m/2 succeeded | execution failed
    when   retry                  then  m open | m/0 queued | m/1, m/2 succeeded
    when   ran m/0 ok             then  m succeeded | execution completed
    `,
    { workflow: { onFailure: "finish" } },
  ),
  scenario(
    "STATE-9 a map over an empty list settles at once, with an empty list",
    `
    given  m map "input" "x"; n after m
    when   start []               then  m succeeded | m output [] | n queued
    `,
  ),
  scenario(
    "STATE-9 a map over a value that is not a list fails",
    `
    given  m map "input" "x"
    when   start {"a":1}          then  m failed | m because MAP_NOT_A_LIST
    `,
  ),
  scenario(
    "STATE-9 a failed item fails the map, which stops its other items",
    `
    given  m map "input" "x"; n after m; o
    when   start [1,2,3]
    when   granted m/0
    when   ran m/1 fail permanent "boom" then  m open | m/0 cancelling | m/2 skipped | o queued | execution running
                                  then  events step.started, step.failed, step.failing, steps.skipped, steps.cancelling
    when   ended m/0 fail cancelled then  m failed | m because SCOPE_FAILED | m says \`m/1\` failed: boom
                                  then  n, o skipped | execution failed
    `,
  ),
  scenario(
    "BEYOND-1 a map with a limit begins its items in their order, the next one when one has ended",
    `
    given  m map "input" "x"; n after m
    when   start [1,2,3,4]        then  m/0, m/1 queued | m/2, m/3 waiting
    when   ran m/1 ok "b"         then  m/2 queued | m/3 waiting
    when   ran m/2 ok "c"         then  m/3 queued
    when   ran m/0 ok "a"
    when   ran m/3 ok "d"         then  m succeeded | m output ["a","b","c","d"] | n queued
    `,
    { steps: { m: map({ concurrency: 2 }) } },
  ),
  scenario(
    "BEYOND-1 an item with several steps has ended when all of them have",
    `
    given  m map "input" "x"
    when   start [1,2]            then  m/0/a queued | m/1/a, m/1/b waiting
    when   ran m/0/a ok           then  m/0/b queued | m/1/a waiting
    when   ran m/0/b ok           then  m/1/a queued | m/1/b waiting
    when   ran m/1/a fail permanent then  m failed | m/1/b skipped
    `,
    { steps: { m: map({ concurrency: 1 }, "a; b after a") } },
  ),
  scenario(
    "BEYOND-1 a failed item makes room like any other, if it is tolerated",
    `
    given  m map "input" "x"
    when   start [1,2]            then  m/1 waiting
    when   ran m/0 fail permanent then  m/1 queued
    when   ran m/1 ok 5           then  m output [null,5]
    `,
    { steps: { m: map({ concurrency: 1, tolerance: 1 }) } },
  ),
  scenario(
    "BEYOND-1 items that wait for their turn are skipped with the map, and none of them begins",
    `
    given  m map "input" "x"
    when   start [1,2,3,4,5]
    when   ran m/0 fail permanent then  m failed | m/1, m/2, m/3, m/4 skipped | execution failed
    `,
    { steps: { m: map({ concurrency: 1 }) } },
  ),
  scenario(
    "BEYOND-1 in a new round only items that did not succeed begin again, in the same bounds",
    `
    given  m map "input" "x"
    when   start [1,2,3,4]
    when   ran m/0 ok 1
    when   ran m/1 fail permanent then  execution failed | m/2, m/3 skipped
    when   retry                  then  m open | m/1 queued | m/2, m/3 waiting
    when   ran m/1 ok 2           then  m/2 queued | m/3 waiting
    when   ran m/2 ok 3
    when   ran m/3 ok 4           then  m output [1,2,3,4] | execution completed
    `,
    { steps: { m: map({ concurrency: 1 }) } },
  ),
  scenario(
    "BEYOND-1 CANCEL-7 a pause does not begin more items than the limit allows",
    `
    given  m map "input" "x"
    when   start [1,2,3]
    when   pause                  then  m/0 ready | m/1, m/2 waiting
    when   resume                 then  m/0 queued | m/1, m/2 waiting
    `,
    { steps: { m: map({ concurrency: 1 }) } },
  ),
  scenario(
    "BEYOND-1 the children of an item continue in a new round when the item begins",
    `
    given  m map "input" "x"
    when   start [[1,2],[3]]      then  m/0/0, m/0/1 queued | m/1 waiting
    when   ran m/0/0 ok
    when   ran m/0/1 fail permanent then  execution failed | m/1 skipped
    when   retry                  then  m/0/1 queued | m/1 waiting
    when   ran m/0/1 ok           then  m/1/0 queued
    when   ran m/1/0 ok           then  execution completed
    `,
    {
      steps: {
        m: map({
          concurrency: 1,
          steps: [
            {
              id: stepId("x"),
              action: { kind: "map", over: "item", steps: parseTable("given y").steps },
            },
          ],
        }),
      },
    },
  ),
  scenario(
    "STATE-9 so many failed items are tolerated, and are null in the list",
    `
    given  m map "input" "x"
    when   start [1,2,3]
    when   ran m/0 fail permanent then  m open | execution running
    when   ran m/1 ok 5
    when   ran m/2 ok 6           then  m succeeded | m output [null,5,6] | execution completed
    `,
    { steps: { m: map({ tolerance: 1 }) } },
  ),
  scenario(
    "STATE-9 one failed item too many fails the map",
    `
    given  m map "input" "x"
    when   start [1,2,3]
    when   ran m/0 fail permanent
    when   ran m/1 fail permanent then  m failed | m/2 skipped | execution failed
    `,
    { steps: { m: map({ tolerance: 1 }) } },
  ),
  scenario(
    "STATE-9 a map with too many failed items says how many there are, and how many may be",
    `
    given  m map "input" "x"
    when   start [1,2,3]
    when   ran m/0 fail permanent "boom"
    when   ran m/1 fail permanent "bang" then  m says 2 of 3 items failed, 1 is tolerated; the last: \`m/1\` failed: bang
    `,
    { steps: { m: map({ tolerance: 1 }) } },
  ),
  scenario(
    "STATE-9 items that fail after the one that was too many are counted",
    `
    given  m map "input" "x"
    when   start [1,2,3]
    when   ran m/0 fail permanent "boom" then  m open
    when   ran m/1 fail permanent "bang"
    when   ran m/2 ok                    then  m says 2 of 3 items failed; one of them: \`m/0\` failed: boom
    `,
    { workflow: { onFailure: "finish" } },
  ),
  scenario(
    "STATE-9 a share of failed items is tolerated",
    `
    given  m map "input" "x"
    when   start [1,2,3,4]
    when   ran m/0 fail permanent
    when   ran m/1 fail permanent then  m open
    when   ran m/2 fail permanent then  m failed
    `,
    { steps: { m: map({ tolerance: "50%" }) } },
  ),
  scenario(
    "STATE-9 a share is counted exactly",
    `
    given  m map "input" "x"
    when   start [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50]
    when   ran m/0 fail permanent
    when   ran m/1 fail permanent
    when   ran m/2 fail permanent
    when   ran m/3 fail permanent
    when   ran m/4 fail permanent
    when   ran m/5 fail permanent
    when   ran m/6 fail permanent then  m open
    when   ran m/7 fail permanent then  m failed
    `,
    { steps: { m: map({ tolerance: "14%" }) } },
  ),
  scenario(
    "STATE-9 a template of several steps runs item by item, and its result is the step that is named",
    `
    given  m map "input" "x"
    when   start [10,20]          then  m/0/x, m/1/x queued | m/0/y, m/1/y waiting
    when   ran m/1/x ok 1         then  m/1/y queued | m/0/y waiting
    when   granted m/1/y          then  m/1/y called {"input":[20,1]}
    when   ended m/1/y ok "late"
    when   ran m/0/x ok 0
    when   ran m/0/y ok           then  m output [0,1] | execution completed
    `,
    {
      steps: {
        m: map({ result: stepId("x") }, "x; y after x", { y: { input: ["${ item }", "${ steps.x.output }"] } }),
      },
    },
  ),
  scenario(
    "STATE-9 STATE-5 a failed step skips the rest of its own item only",
    `
    given  m map "input" "x"
    when   start [1,2]
    when   ran m/0/x fail permanent then  m/0/y skipped | m/0/y because dependency-failed m/0/x | m/1/x queued
    when   ran m/1/x ok
    when   ran m/1/y ok 7         then  m output [null,7]
    `,
    { steps: { m: map({ tolerance: 1 }, "x; y after x") } },
  ),
  scenario(
    "STATE-7 STATE-9 a failure that may happen is not counted against the tolerance",
    `
    given  m map "input" "x"
    when   start [1,2]
    when   ran m/0/x fail permanent
    when   ran m/1/x fail permanent
    when   ran m/0/y fail permanent then  m open
    when   ran m/1/y ok 1         then  m succeeded | m output [null,1]
    `,
    { steps: { m: map({ tolerance: 1 }, "x continue; y") } },
  ),
  scenario(
    "STATE-8 STATE-9 fallbacks replace failed steps inside an item",
    `
    given  m map "input" "x"
    when   start [1]
    when   ran m/0/x fail permanent then  m/0/f queued
    when   ran m/0/f ok 9         then  m succeeded | m output [9]
    `,
    { steps: { m: map({ result: stepId("x") }, "x fallback f; f") } },
  ),
  scenario(
    "STATE-9 maps nest: an inner item sees the outer map's steps",
    `
    given  m map "input" "x"
    when   start [[1,2],[3]]      then  m/0, m/1 open | m/0/0, m/0/1, m/1/0 queued
    when   granted m/0/1          then  m/0/1 called {"input":[2,1]}
    when   ended m/0/1 ok "b"
    when   ran m/1/0 ok "c"       then  m/1 succeeded
    when   ran m/0/0 ok "a"       then  m succeeded | m output [["a","b"],["c"]] | execution completed
    `,
    {
      steps: {
        m: map({
          steps: [{ id: stepId("in"), ...map({ over: "item" }, "x", { x: { input: ["${ item }", "${ index }"] } }) }],
        }),
      },
    },
  ),
  scenario(
    "STATE-9 the output of a scope is captured like any other",
    `
    given  m map "input" "x"; n after m
    when   start [1,2]
    when   ran m/0 ok 4
    when   ran m/1 ok 5           then  m output 9
    when   granted n              then  n called {"input":9}
    `,
    {
      steps: {
        m: { ...map({}), output: { select: "sum(@)", to: "variables.total" } },
        n: { input: "${ variables.total }" },
      },
    },
  ),
  scenario(
    "STATE-9 a scope whose output does not fit fails",
    `
    given  m map "input" "x"
    when   start [1]
    when   ran m/0 ok 4           then  m/0 succeeded | m failed | m because OUTPUT_INVALID | execution failed
    `,
    { steps: { m: { ...map({}), output: { schema: { type: "object" } } } } },
  ),
];
