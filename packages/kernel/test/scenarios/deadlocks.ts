// Deadlocks: only a bug or a damaged journal can cause one, so the tests damage the state on purpose.

import { scenario, type Scenario } from "./scenario.ts";

export const deadlocks: readonly Scenario[] = [
  scenario(
    "STATE-12 an execution in which no step can proceed fails and names the waiting steps",
    `
    given  a; b after a; c after b; d
    when   start
    when   ran d ok
    when   miscounted b           then  b unmet 2
    when   ran a ok               then  execution failed | execution because DEADLOCK | b, c waiting
                                  then  execution says no step can proceed; still waiting: b, c
                                  then  events step.started, step.completed, execution.failed
    `,
  ),
  scenario(
    "STATE-12 a failing execution that cannot move is failed",
    `
    given  a; tidy after a settled
    when   start
    when   miscounted tidy
    when   ran a fail permanent   then  execution failed | execution because DEADLOCK
    `,
  ),
  scenario(
    "STATE-12 an execution that is being cancelled and cannot move is failed",
    `
    given  a compensate; b after a compensate; c after b
    when   start
    when   ran a ok
    when   ran b ok
    when   cancel abort compensate then  b/compensate queued | execution cancelling
    when   miscounted a/compensate
    when   ran b/compensate ok    then  execution failed | execution because DEADLOCK
                                  then  execution says no step can proceed; still waiting: a/compensate
    `,
  ),
  scenario(
    "STATE-12 a step that waits, backs off, is open, or was paused is not a deadlock",
    `
    given  a signal go; b; c after b
    when   start
    when   ran b fail transient
    when   miscounted c           then  c unmet 2
    when   pause                  then  execution paused
    when   resume                 then  execution running
    when   signal go s1           then  a succeeded | b retrying | execution running
    when   later 1000             then  b queued | execution running
    when   granted b              then  execution running
    when   ended b ok             then  execution failed | execution because DEADLOCK
    `,
  ),
];
