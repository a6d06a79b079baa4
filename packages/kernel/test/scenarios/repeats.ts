// Repetitions: the steps of an iteration run again, each time with the output of the time before (STATE-13).

import type { ActionDefinition } from "../../src/model/definition.ts";
import { durationMs, stepId } from "../../src/model/units.ts";
import { scenario, type Scenario } from "./scenario.ts";
import { parseTable, type StepExtras } from "./table.ts";

const repeat = (
  fields: Partial<ActionDefinition & { kind: "repeat" }>,
  given = "x",
  extras?: StepExtras,
): { action: ActionDefinition } => ({
  action: { kind: "repeat", steps: parseTable(`given ${given}`, extras).steps, ...fields },
});

export const repeats: readonly Scenario[] = [
  scenario(
    "STATE-13 an iteration begins when the one before has ended, and sees its output and its own number",
    `
    given  r; n after r
    when   start {"from":7}       then  r open | r/0 queued | n waiting
    when   granted r/0            then  r/0 called {"input":{"last":null,"index":0,"from":7}}
    when   ended r/0 ok 1         then  r open | r/1 queued | events step.completed, step.repeated
    when   granted r/1            then  r/1 called {"input":{"last":1,"index":1,"from":7}}
    when   ended r/1 ok 2         then  r/2 queued
    when   ran r/2 ok 3           then  r succeeded | r output 3 | r/0, r/1, r/2 succeeded | n queued
    when   ran n ok               then  execution completed
    `,
    {
      steps: {
        r: repeat({ until: "last >= `3`", max: 9 }, "x", {
          x: { input: { last: "${ last }", index: "${ index }", from: "${ input.from }" } },
        }),
      },
    },
  ),
  scenario(
    "STATE-13 without a condition it runs as often as its number says",
    `
    given  r
    when   start
    when   ran r/0 ok "a"
    when   ran r/1 ok "b"         then  r succeeded | r output "b" | execution completed
    `,
    { steps: { r: repeat({ max: 2 }) } },
  ),
  scenario(
    "STATE-13 the condition reads all steps of the iteration, and the result is the one that it names",
    `
    given  r
    when   start                  then  r/0/a queued | r/0/b waiting
    when   ran r/0/a ok 1         then  r/0/b queued
    when   ran r/0/b ok "no"      then  r/1/a queued | r/1/b waiting
    when   ran r/1/a ok 2
    when   ran r/1/b ok "yes"     then  r succeeded | r output 2
    `,
    { steps: { r: repeat({ until: "steps.b.output == 'yes'", result: stepId("a") }, "a; b after a") } },
  ),
  scenario(
    "STATE-13 an attempt that says that it was the last one ends it",
    `
    given  r
    when   start
    when   ran r/0 ok 1           then  r/1 queued
    when   ran r/1 last 2         then  r succeeded | r output 2
    `,
    { steps: { r: repeat({ isEndedByHandler: true, max: 5 }) } },
  ),
  scenario(
    "STATE-13 a condition that is still false at the limit fails the step, and a retry goes on for as many iterations",
    `
    given  r
    when   start
    when   ran r/0 ok 1
    when   ran r/1 ok 2           then  r failed | r because REPEAT_LIMIT | execution failed
    when   retry                  then  r open | r/2 queued | r/1 succeeded
    when   ran r/2 ok 2
    when   ran r/3 ok 2           then  r failed | r because REPEAT_LIMIT
    when   retry                  then  r/4 queued
    when   ran r/4 ok 9           then  r succeeded | r output 9 | execution completed
    `,
    { steps: { r: repeat({ until: "last > `5`", max: 2 }) } },
  ),
  scenario(
    "STATE-13 a handler that never says that it was the last one reaches the limit, too",
    `
    given  r
    when   start
    when   ran r/0 ok 1           then  r failed | r because REPEAT_LIMIT | r says the condition is still not true after 1 iteration, which is the limit
    `,
    { steps: { r: repeat({ isEndedByHandler: true, max: 1 }) } },
  ),
  scenario(
    "STATE-13 a condition that is neither true nor false fails the step",
    `
    given  r
    when   start
    when   ran r/0 ok {"done":1}  then  r failed | r because UNTIL_NOT_BOOLEAN | r says \`last.done\` evaluated to a number, not true or false
    `,
    { steps: { r: repeat({ until: "last.done" }) } },
  ),
  scenario(
    "STATE-13 a failed iteration fails the step, and a retry goes on with that iteration",
    `
    given  r; n after r
    when   start
    when   ran r/0 ok 1
    when   ran r/1 fail permanent "boom" then  r failed | r because SCOPE_FAILED | r says \`r/1\` failed: boom | n skipped
                                  then  execution failed
    when   retry                  then  r open | r/0 succeeded | r/1 queued
    when   ran r/1 ok 2           then  r/2 queued
    when   ran r/2 ok 3           then  r succeeded | n queued
    `,
    { steps: { r: repeat({ until: "last >= `3`" }) } },
  ),
  scenario(
    "STATE-13 it waits between two iterations, and not before the first",
    `
    given  r
    when   start                  then  r/0 queued | r/0/_delay skipped
    when   ran r/0 ok 1           then  r/1 waiting | r/1/_delay suspended
    when   later 500              then  r/1/_delay succeeded | r/1 queued
    when   ran r/1 ok 2           then  r succeeded
    `,
    { steps: { r: repeat({ max: 2, delay: durationMs(500) }) } },
  ),
  scenario(
    "STATE-13 CANCEL-2 a cancellation ends the wait between two iterations",
    `
    given  r
    when   start
    when   ran r/0 ok 1           then  r/1/_delay suspended
    when   cancel abort           then  r cancelled | r/1, r/1/_delay cancelled | execution cancelled
    `,
    { steps: { r: repeat({ max: 2, delay: durationMs(500) }) } },
  ),
  scenario(
    "STATE-13 CANCEL-3 a drain lets the iteration end, and no other begins",
    `
    given  r
    when   start
    when   granted r/0
    when   cancel drain           then  r open | r/0 running
    when   ended r/0 ok 1         then  r/0 succeeded | r cancelled | execution cancelled
    `,
    { steps: { r: repeat({ until: "last > `1`" }) } },
  ),
  scenario(
    "STATE-13 CANCEL-3 a drain lets the last iteration complete the step",
    `
    given  r
    when   start
    when   granted r/0
    when   cancel drain
    when   ended r/0 ok 1         then  r succeeded | execution cancelled
    `,
    { steps: { r: repeat({ until: "last >= `1`" }) } },
  ),
  scenario(
    "STATE-13 CANCEL-7 a pause holds the next iteration",
    `
    given  r
    when   start
    when   granted r/0
    when   pause
    when   ended r/0 ok 1         then  r open | r/1 ready
    when   resume                 then  r/1 queued
    `,
    { steps: { r: repeat({ max: 2 }) } },
  ),
  scenario(
    "STATE-13 FAIL-4 its timeout covers all iterations",
    `
    given  r timeout 1000
    when   start
    when   later 600
    when   ran r/0 ok 1
    when   granted r/1
    when   later 399              then  r/1 running
    when   later 1                then  r/1 cancelling
    when   ended r/1 fail cancelled then  r failed | r because ATTEMPT_TIMEOUT
    `,
    { steps: { r: repeat({ max: 9 }) } },
  ),
  scenario(
    "STATE-13 FAIL-8 a repetition in which a step was undone starts from the beginning",
    `
    given  r; n after r
    when   start
    when   ran r/0 ok 1
    when   ran r/1 ok 2           then  n queued
    when   ran n fail permanent   then  r/1/compensate queued
    when   ran r/1/compensate ok
    when   ran r/0/compensate ok  then  execution failed
    when   retry                  then  r open | r/0 queued | n waiting
    when   ran r/0 ok 5
    when   ran r/1 ok 6           then  r succeeded | r output 6
    when   ran n ok               then  execution completed
    `,
    { workflow: { onFailure: "compensate" }, steps: { r: repeat({ max: 2 }, "x compensate") } },
  ),
  scenario(
    "STATE-13 in a new round of a sequential workflow, the next iteration begins when it is its turn",
    `
    given  a compensate; r
    when   start
    when   ran a ok
    when   ran r/0 ok 1           then  r failed | r because REPEAT_LIMIT | a/compensate queued
    when   ran a/compensate ok    then  execution failed
    when   retry                  then  a queued | r open | r/1 waiting
    when   ran a ok               then  r/1 queued
    when   ran r/1 ok 9           then  r succeeded | execution completed
    `,
    {
      workflow: { onFailure: "compensate", sequential: true },
      steps: { r: repeat({ until: "last > `5`", max: 1 }) },
    },
  ),
  scenario(
    "STATE-13 BEYOND-1 a repetition inside a map sees the item, and counts its own iterations",
    `
    given  m map "input" "r"
    when   start ["p","q"]        then  m/0/0, m/1/0 queued
    when   granted m/1/0          then  m/1/0 called {"input":["q",0,null]}
    when   ended m/1/0 ok 5
    when   granted m/1/1          then  m/1/1 called {"input":["q",1,5]}
    when   ended m/1/1 ok 6       then  m/1 succeeded | m open
    when   ran m/0/0 ok 1
    when   ran m/0/1 ok 2         then  m succeeded | m output [2,6]
    `,
    {
      steps: {
        m: {
          action: {
            kind: "map",
            over: "input",
            steps: [
              {
                id: stepId("r"),
                ...repeat({ max: 2 }, "x", { x: { input: ["${ item }", "${ index }", "${ last }"] } }),
              },
            ],
          },
        },
      },
    },
  ),
];
