// Barriers: named points at which steps meet.

import { scenario, type Scenario } from "./scenario.ts";
import { parseTable } from "./table.ts";

const meeting: readonly Scenario[] = [
  scenario(
    "BEYOND-1 a barrier is passed in the turn in which the last of its dependencies succeeds",
    `
    given  a; b; met barrier after a, b; c after met; d after met
    when   start                  then  met waiting | effects admit a, admit b
    when   ran a ok 1             then  met waiting | met unmet 1 | c, d waiting
    when   ran b ok 2             then  met succeeded | met output null | c, d queued
                                  then  events step.started, step.completed, step.completed
                                  then  effects run b, release b, admit c, admit d
    `,
  ),
  scenario(
    "BEYOND-1 a barrier has no attempt, no epoch and no timer, and requests no slot",
    `
    given  met barrier retry 3 timeout 100
    when   start                  then  met succeeded | met attempt 0 | met epoch 0 | armed | effects
                                  then  events execution.created, execution.validating, execution.started, step.completed, execution.completed
    when   granted met            then  met succeeded | answer ignored not-asked completed | effects release met
    when   ended met fail permanent then  met succeeded | answer ignored stale completed
    `,
  ),
  scenario(
    "BEYOND-1 barriers behind barriers are passed in one turn, whatever the order of declaration",
    `
    given  last after third; third barrier after second, first; second barrier after first; first barrier after a; a
    when   start
    when   ran a ok               then  first, second, third succeeded | last queued
                                  then  events step.started, step.completed, step.completed, step.completed, step.completed
    `,
  ),
  scenario(
    "BEYOND-1 a barrier may write its output like any other step",
    `
    given  met barrier; c after met
    when   start                  then  met succeeded | met output "met"
    when   granted c              then  c called {"input":{"seen":"met"}}
    `,
    {
      steps: {
        met: { output: { select: "'met'", to: "variables.state" } },
        c: { input: { seen: "${ variables.state }" } },
      },
    },
  ),
  scenario(
    "BEYOND-1 STATE-8 a barrier whose output does not fit fails, and its fallback runs",
    `
    given  met barrier fallback f; f; c after met
    when   start                  then  met failed | met because OUTPUT_INVALID | f queued | c waiting
    when   ran f ok               then  c queued
    `,
    { steps: { met: { output: { schema: { type: "number" } } } } },
  ),
  scenario(
    "BEYOND-1 STATE-11 a barrier that writes into a stored value is passed when that is there",
    `
    given  a; met barrier after a
    when   start
    when   ran a ok sha256:large  then  met waiting | needs sha256:large
    when   load sha256:large      then  met succeeded | execution completed
    `,
    {
      values: { "sha256:large": [1] },
      steps: {
        a: { output: { to: "variables.list" } },
        met: { output: { to: "variables.list", merge: "append" } },
      },
    },
  ),
];

const missing: readonly Scenario[] = [
  scenario(
    "STATE-5 a barrier whose condition is false is skipped, and delays no step",
    `
    given  a; met barrier when "input.go" after a; c after met
    when   start {"go":false}
    when   ran a ok               then  met skipped | met because condition | c queued
    `,
  ),
  scenario(
    "STATE-4 a barrier whose condition cannot be evaluated fails",
    `
    given  met barrier when "abs(input)"; c after met
    when   start "text"           then  met failed | c skipped | execution failed
    `,
  ),
  scenario(
    "STATE-5 a barrier behind a failed step is skipped, and so are its dependants",
    `
    given  a continue; b; met barrier after a, b; c after met
    when   start
    when   ran a fail permanent   then  met skipped | met because dependency-failed a | c because dependency-failed a
    when   ran b ok               then  execution completed
    `,
  ),
  scenario(
    "STATE-6 a barrier with settled edges completes however the steps ended, also while the execution fails",
    `
    given  a; b; met barrier after a settled, b settled; c after met settled; d after met
    when   start
    when   granted b
    when   ran a fail permanent   then  execution failing | met waiting | b cancelling | d skipped
    when   ended b fail cancelled then  met succeeded | c queued
    when   ran c ok               then  execution failed
    `,
  ),
  scenario(
    "GRAPH-5 a disabled barrier delays no step",
    `
    given  a; met barrier disabled after a; c after met
    when   start                  then  met skipped | c queued
    `,
  ),
];

const holding: readonly Scenario[] = [
  scenario(
    "CANCEL-7 a barrier is not passed while the execution is paused",
    `
    given  a; met barrier after a; c after met
    when   start
    when   granted a
    when   pause
    when   ended a ok             then  met ready | c waiting | execution paused
    when   resume                 then  met succeeded | c queued
    `,
  ),
  scenario(
    "CANCEL-4 a barrier that was not reached is cancelled with the rest",
    `
    given  a; met barrier after a; c after met
    when   start
    when   granted a
    when   cancel drain           then  met, c cancelled
    when   ended a ok             then  a succeeded | met cancelled | execution cancelled
    `,
  ),
  scenario(
    "STATE-2 a barrier that was passed stays so in a new round, and one that was not is passed then",
    `
    given  a; one barrier after a; b after one; two barrier after b
    when   start
    when   ran a ok
    when   ran b fail permanent   then  one succeeded | two skipped | execution failed
    when   retry                  then  one succeeded | b queued | two waiting
    when   ran b ok               then  two succeeded | execution completed
    `,
  ),
];

const inside: readonly Scenario[] = [
  scenario(
    "STATE-9 each item of a map has barriers of its own",
    `
    given  m
    when   start [1,2]            then  m/0/met, m/1/met waiting
    when   ran m/1/x ok           then  m/1/met succeeded | m/1/y queued | m/0/met waiting
    `,
    {
      steps: {
        m: {
          action: { kind: "map", over: "input", steps: parseTable("given x; met barrier after x; y after met").steps },
        },
      },
    },
  ),
  scenario(
    "STATE-9 a map of barriers alone is over in the turn in which it begins, one item after the other too",
    `
    given  m; b after m
    when   start [1,2,3]          then  m succeeded | m output [null,null,null] | b queued
    `,
    {
      steps: {
        m: { action: { kind: "map", over: "input", concurrency: 1, steps: parseTable("given p barrier").steps } },
      },
    },
  ),
  scenario(
    "STATE-9 a step may return barriers among its steps",
    `
    given  a; b after a
    when   start
    when   ran a expand two       then  a/x queued | a/met waiting
    when   ran a/x ok 1           then  a/met succeeded | a succeeded | a output {"x":1,"met":null} | b queued
    `,
    { expansions: { two: { kind: "expanded", steps: parseTable("given x; met barrier after x").steps } } },
  ),
  scenario(
    "FAIL-8 a barrier that says how it is undone is undone like any other step",
    `
    given  met barrier compensate; a after met
    when   start
    when   ran a fail permanent   then  met/compensate queued
    when   ran met/compensate ok  then  execution failed
    when   retry                  then  met succeeded | a queued
    `,
    { workflow: { onFailure: "compensate" } },
  ),
];

export const barriers: readonly Scenario[] = [...meeting, ...missing, ...holding, ...inside];
