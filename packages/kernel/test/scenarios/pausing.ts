// Pausing, parking and resuming.

import { durationMs } from "../../src/model/units.ts";
import { scenario, type Scenario } from "./scenario.ts";

export const pausing: readonly Scenario[] = [
  scenario(
    "CANCEL-7 pause stops new starts and lets running attempts end; resume continues",
    `
    given  a; b; c after a
    when   start
    when   granted a
    when   pause                  then  execution paused | a running | b ready | c waiting | effects withdraw
    when   granted b              then  b ready | effects release b | answer ignored not-asked paused
    when   ended a ok             then  a succeeded | c ready | execution paused
    when   pause                  then  answer ignored already-held paused
    when   resume                 then  execution running | b, c queued
    when   resume                 then  answer ignored not-held running
    `,
  ),
  scenario(
    "CANCEL-7 an execution whose last running step ends while it is paused completes",
    `
    given  a
    when   start
    when   granted a
    when   pause
    when   ended a ok             then  execution completed
    `,
  ),
  scenario(
    "CANCEL-7 a backoff that ends during a pause continues after it",
    `
    given  a; b
    when   start
    when   ran a fail transient
    when   granted b
    when   pause                  then  a retrying
    when   later 1000             then  a retrying | answer ignored already-held paused
    when   ended b fail transient then  b retrying | armed backoff b +1000
    when   later 400
    when   resume                 then  a, b retrying | does arm backoff a -400
    when   later 0                then  a queued | b retrying
    when   later 600              then  b queued
    `,
  ),
  scenario(
    "CANCEL-7 a step that was queued after its backoff is requested again after the pause",
    `
    given  a
    when   start
    when   ran a fail transient
    when   later 1000             then  a queued
    when   pause                  then  a retrying | effects withdraw
    when   resume                 then  a retrying
    when   later 0                then  a queued
    when   granted a              then  a running | a attempt 2
    `,
  ),
  scenario(
    "CANCEL-7 a failure during a pause fails the execution; its clean-up waits for the resume",
    `
    given  a; tidy after a settled
    when   start
    when   granted a
    when   pause
    when   ended a fail permanent then  execution failing | tidy ready
    when   resume                 then  execution failing | tidy queued
    when   ran tidy ok            then  execution failed
    `,
  ),
  scenario(
    "CANCEL-7 a failing execution is paused: clean-up does not start until it is resumed",
    `
    given  a; b; tidy after b settled
    when   start
    when   granted b
    when   ran a fail permanent   then  b cancelling | execution failing
    when   pause                  then  execution failing | answer accepted
    when   ended b ok             then  tidy ready
    when   pause                  then  answer ignored already-held failing
    when   resume                 then  tidy queued | execution failing
    `,
  ),
  scenario(
    "CANCEL-7 an awaited signal arrives during a pause, and the next steps start after it",
    `
    given  a signal go; b after a; c sleep 100; d after c
    when   start
    when   pause
    when   signal go s1 5         then  a succeeded | b ready
    when   later 100              then  c succeeded | d ready
    when   resume                 then  b, d queued
    `,
  ),
  scenario(
    "CANCEL-7 an attempt that is lost during a pause runs again after it",
    `
    given  a
    when   start
    when   granted a
    when   pause
    when   lost a                 then  a ready | execution paused
    when   resume                 then  a queued
    `,
  ),
  scenario(
    "STATE-9 CANCEL-7 a definition that arrives during a pause is requested again",
    `
    given  w workflow child
    when   start                  then  w queued | effects resolve w child
    when   pause                  then  w ready
    when   resolved w child       then  w ready | answer ignored not-asked paused
    when   resume                 then  w queued | effects resolve w child
    when   resolved w child       then  w succeeded | execution completed
    `,
    { library: { child: { name: "child", steps: [] } } },
  ),
  scenario(
    "CANCEL-7 an execution that runs out of time while it is paused fails",
    `
    given  a; b after a
    when   start
    when   pause
    when   later 500              then  a, b skipped | execution failed | execution because EXECUTION_TIMEOUT
    `,
    { workflow: { timeout: durationMs(500) } },
  ),
  scenario(
    "CANCEL-7 an output that cannot be made fails an execution that is paused",
    `
    given  a
    when   start
    when   granted a
    when   pause
    when   ended a ok             then  execution failed | execution because TEMPLATE_MISSING
    `,
    { workflow: { strict: true, output: "${ steps.a.output.nothing }" } },
  ),
  scenario(
    "STATE-1 a parked execution starts no step, and returns to running",
    `
    given  a; b
    when   start
    when   granted a
    when   park "no agent"        then  execution parked | b ready | a running
    when   park "still none"      then  execution parked
    when   pause                  then  answer ignored already-held parked
    when   resume                 then  execution running | b queued
    `,
  ),
  scenario(
    "STATE-1 a paused execution is parked",
    `
    given  a
    when   start
    when   pause
    when   park "no agent"        then  execution parked
    when   resume                 then  execution running | a queued
    `,
  ),
  scenario(
    "STATE-1 a failing execution is parked, and goes back to failing",
    `
    given  a; tidy after a settled
    when   start
    when   ran a fail permanent   then  execution failing | tidy queued
    when   park "no agent"        then  execution parked | tidy ready
    when   resume                 then  execution failing | tidy queued
    when   ran tidy ok            then  execution failed
    `,
  ),
  scenario(
    "STATE-1 a parked execution whose last step ends is completed",
    `
    given  a
    when   start
    when   granted a
    when   park "no agent"
    when   ended a ok             then  execution completed
    `,
  ),
  scenario(
    "STATE-7 a failure while it is parked waits on with it where clean-up has to run, and fails it otherwise",
    `
    given  a; b
    when   start
    when   granted a
    when   park "no agent"
    when   ended a fail permanent then  b skipped | execution failed
                                  then  events step.failed, execution.failing, steps.skipped, execution.failed
    `,
  ),
  scenario(
    "STATE-7 a failure while it is parked lets clean-up wait for the resume",
    `
    given  a; tidy after a settled
    when   start
    when   granted a
    when   park "no agent"
    when   ended a fail permanent then  execution parked | tidy ready
    when   resume                 then  execution failing | tidy queued
    `,
  ),
  scenario(
    "STATE-1 an execution cannot be parked before it starts",
    `
    given  a
    when   create
    when   park "no agent"        then  answer ignored not-started pending
    when   pause                  then  answer ignored not-started pending
    when   resume                 then  answer ignored not-held pending
    when   retry                  then  answer ignored not-failed pending
    `,
  ),
];
