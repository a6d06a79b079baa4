// A step has failed for good: the consequences for its execution.

import { durationMs } from "../../src/model/units.ts";
import { scenario, type Scenario } from "./scenario.ts";
import { parseTable } from "./table.ts";

export const failing: readonly Scenario[] = [
  scenario(
    "STATE-7 abort skips steps that have not started, stops running ones, and fails when those have ended (ruling 18)",
    `
    given  a; b; c; d retry 2; e signal go; f after b
    when   start                  then  a, b, c, d queued | e suspended | f waiting
    when   granted a
    when   granted b
    when   ran d fail transient   then  d retrying
    when   ended a fail permanent then  a failed | b cancelling | c, d, e, f skipped | execution failing
                                  then  c, d, e, f because failing | c, b says \`a\` failed
                                  then  events step.failed, execution.failing, steps.skipped, steps.cancelling
                                  then  does withdraw c | does disarm backoff d | does disarm wait e | does abort b
    when   ended b fail cancelled then  b cancelled | b because itself | b says \`a\` failed
                                  then  execution failed | execution because E
    `,
  ),
  scenario(
    "STATE-5 STATE-7 abort says of all that needed the failed step which one that was, and of the rest that it fails",
    `
    given  a; b after a; c after b; d; e after d, b
    when   start
    when   granted d
    when   ran a fail permanent   then  b, c, e because dependency-failed a | d cancelling | execution failing
                                  then  events step.started, step.failed, steps.skipped, execution.failing, steps.cancelling
    when   ended d fail cancelled then  execution failed
    `,
  ),
  scenario(
    "STATE-5 STATE-9 the same holds inside a scope that fails",
    `
    given  m
    when   start [1]
    when   ran m/0/x fail permanent then  m/0/y because dependency-failed m/0/x | m/0/z because failing
    `,
    { steps: { m: { action: { kind: "map", over: "input", steps: parseTable("given x; y after x; z").steps } } } },
  ),
  scenario(
    "STATE-5 STATE-8 the fallback of a step that needed the failed one was not used",
    `
    given  a; b after a fallback f; f
    when   start
    when   ran a fail permanent   then  b because dependency-failed a | f because fallback-unused b | execution failed
    `,
  ),
  scenario(
    "STATE-10 CANCEL-5 an attempt that is killed because of a failure names that failure",
    `
    given  a; b
    when   start
    when   granted b
    when   ran a fail permanent
    when   later 5000             then  b cancelled | b because by-force | b says \`a\` failed | execution failed
    `,
  ),
  scenario(
    "STATE-7 a value that comes within the grace of a failing execution counts",
    `
    given  a; b
    when   start
    when   granted b
    when   ran a fail permanent   then  b cancelling | execution failing
    when   ended b ok 5           then  b succeeded | b output 5 | execution failed
    `,
  ),
  scenario(
    "STATE-7 finish lets independent branches end and fails then (ruling 18)",
    `
    given  a; b; c after b; d after a
    when   start
    when   ran a fail permanent   then  a failed | d skipped | d because dependency-failed a | b queued | execution failing
    when   ran b fail transient   then  b retrying
    when   later 1000             then  b queued
    when   ran b ok               then  c queued
    when   ran c ok               then  execution failed | execution because E
    `,
    { workflow: { onFailure: "finish" } },
  ),
  scenario(
    "STATE-7 finish keeps the first failure",
    `
    given  a; b
    when   start
    when   ran a fail permanent "first"
    when   ran b fail permanent "second" then  execution failed | execution says first
    `,
    { workflow: { onFailure: "finish" } },
  ),
  scenario(
    "STATE-7 continue runs all steps that do not depend on the failed step, and never fails the execution",
    `
    given  a continue; b after a; c
    when   start
    when   ran a fail permanent   then  a failed | b skipped | c queued | execution running
    when   ran c ok               then  execution completed
    `,
  ),
  scenario(
    "STATE-6 clean-up waits for stopping steps, and runs while the execution fails",
    `
    given  a; b; tidy after a settled, b settled; report after tidy
    when   start
    when   granted b
    when   ran a fail permanent   then  b cancelling | tidy waiting | tidy unmet 1 | report skipped | execution failing
    when   ended b fail cancelled then  b cancelled | tidy queued | execution failing
    when   ran tidy ok            then  tidy succeeded | execution failed
    `,
  ),
  scenario(
    "STATE-6 clean-up that runs already is not stopped, and is tried again like any step",
    `
    given  a; b; tidy after a settled
    when   start
    when   ran a ok
    when   granted tidy
    when   ran b fail permanent   then  tidy running | execution failing
    when   ended tidy fail transient then  tidy retrying | execution failing
    when   later 1000             then  tidy queued
    when   ran tidy ok            then  tidy succeeded | execution failed
    `,
  ),
  scenario(
    "STATE-6 clean-up that is a scope keeps its children while the execution fails",
    `
    given  a; b; tidy after a settled map "input" "x"
    when   start [1,2]
    when   ran a ok               then  tidy open | tidy/0, tidy/1 queued
    when   granted tidy/0
    when   ran b fail permanent   then  tidy open | tidy/0 running | tidy/1 queued | execution failing
    when   ended tidy/0 ok 1
    when   ran tidy/1 ok 2        then  tidy succeeded | tidy output [1,2] | execution failed
    `,
  ),
  scenario(
    "STATE-8 STATE-6 the fallback of a clean-up step runs while the execution fails",
    `
    given  a; tidy after a settled fallback sweep; sweep
    when   start
    when   ran a fail permanent   then  tidy queued | sweep waiting | execution failing
    when   ran tidy fail permanent then  sweep queued
    when   ran sweep ok           then  sweep succeeded | execution failed
    `,
  ),
  scenario(
    "STATE-7 a second failure while the execution is failing has no effect",
    `
    given  a; b; tidy after a settled
    when   start
    when   ran a fail permanent "first"    then  tidy queued | b skipped | execution failing
    when   ran tidy fail permanent "second" then  tidy failed | execution failed | execution says first
    `,
  ),
  scenario(
    "FAIL-4 the workflow's own time stops everything and fails the execution",
    `
    given  a; b; c after a
    when   start                  then  armed execution-deadline +2000
    when   granted a
    when   later 1999             then  execution running
    when   later 1                then  a cancelling | b, c skipped | execution failing | armed grace-end a +300
                                  then  execution because EXECUTION_TIMEOUT
    when   later 300              then  a cancelled | a because by-force | execution failed
    `,
    { workflow: { timeout: durationMs(2000), grace: durationMs(300) } },
  ),
  scenario(
    "FAIL-4 the workflow's own time also ends an execution that lets its branches finish",
    `
    given  a; b
    when   start
    when   granted b
    when   ran a fail permanent "first" then  b running | execution failing
    when   later 2000             then  b cancelling | execution failing
    when   ended b fail cancelled then  execution failed | execution says first
    `,
    { workflow: { timeout: durationMs(2000), onFailure: "finish" } },
  ),
  scenario(
    "FAIL-4 a deadline that comes early or late is ignored",
    `
    given  a
    when   start
    when   due execution-deadline then  answer ignored stale running | events
    when   ran a ok               then  execution completed
    when   later 5000             then  events
    `,
    { workflow: { timeout: durationMs(2000) } },
  ),
  scenario(
    "STATE-7 DATA-3 an output that does not fit fails its step for good",
    `
    given  a retry 3
    when   start
    when   ran a ok "text"        then  a failed | a because OUTPUT_INVALID | a attempt 1 | execution failed
    `,
    { steps: { a: { output: { schema: { type: "number" } } } } },
  ),
  scenario(
    "STATE-7 DATA-5 a strict workflow fails the step that reads a missing value",
    `
    given  a
    when   start {}               then  a failed | a because TEMPLATE_MISSING | execution failed
    `,
    { workflow: { strict: true }, steps: { a: { input: "${ input.missing }" } } },
  ),
];
