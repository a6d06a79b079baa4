// Compensation after the end: steps that could not be undone are tried again, and nothing else (FAIL-8).

import { durationMs } from "../../src/model/units.ts";
import { scenario, type Scenario } from "./scenario.ts";

const COMPENSATE = { workflow: { onFailure: "compensate" } } as const;

export const undoing: readonly Scenario[] = [
  scenario(
    "FAIL-8 CANCEL-2 a compensation that never ends is stopped by a second cancel, without grace",
    `
    given  a compensate; b compensate; c after a, b
    when   start
    when   ran a ok
    when   ran b ok
    when   ran c fail permanent   then  b/compensate queued | a/compensate waiting
    when   granted b/compensate
    when   cancel abort           then  b/compensate running | execution cancelling
    when   cancel abort           then  answer ignored already-cancelling cancelling
    when   cancel abort grace 0   then  b/compensate cancelling | a/compensate cancelled
    when   later 0                then  b/compensate cancelled | execution cancelled
    `,
    { workflow: { onFailure: "compensate" } },
  ),
  scenario(
    "FAIL-8 the steps that could not be undone are tried again, newest first, and the execution fails as it had failed",
    `
    given  a compensate; b after a compensate; c after b compensate; d after c
    when   start
    when   ran a ok
    when   ran b ok
    when   ran c ok
    when   ran d fail permanent "boom"
    when   ran c/compensate fail permanent
    when   ran b/compensate ok
    when   ran a/compensate fail permanent then  execution failed | left c, a
    when   retry undo             then  execution failing | c/compensate queued | a/compensate waiting | round 1
                                  then  events execution.compensating | d failed | a, b, c succeeded
    when   ran c/compensate ok    then  a/compensate queued | execution failing
    when   ran a/compensate ok    then  execution failed | execution says boom | left
    when   retry undo             then  answer ignored nothing-to-undo failed
    `,
    COMPENSATE,
  ),
  scenario(
    "FAIL-8 steps that still cannot be undone are reported again, and only they are tried the next time",
    `
    given  a compensate; b after a compensate; c after b
    when   start
    when   ran a ok
    when   ran b ok
    when   ran c fail permanent
    when   ran b/compensate fail permanent
    when   ran a/compensate fail permanent then  left b, a
    when   retry undo
    when   ran b/compensate fail permanent
    when   ran a/compensate ok    then  execution failed | left b
    when   retry undo             then  b/compensate queued | a/compensate succeeded
    when   ran b/compensate fail permanent then  execution failed | left b
    when   retry undo
    when   ran b/compensate ok    then  execution failed | left
    `,
    COMPENSATE,
  ),
  scenario(
    "FAIL-8 STATE-2 a cancelled execution does not reopen, but its compensation continues and it ends cancelled again",
    `
    given  a compensate; b after a compensate; c after b
    when   start
    when   ran a ok
    when   ran b ok
    when   cancel abort compensate then  c cancelled
    when   ran b/compensate fail permanent
    when   ran a/compensate ok    then  execution cancelled | left b
    when   retry                  then  answer ignored ended cancelled
    when   retry undo             then  execution cancelling | b/compensate queued | c cancelled
    when   pause                  then  answer ignored already-cancelling cancelling
    when   ran b/compensate ok    then  execution cancelled | execution because enough | left
    when   retry undo             then  answer ignored nothing-to-undo cancelled
    `,
  ),
  scenario(
    "FAIL-8 a retry with undo is ignored before the end, and if no step was to be undone",
    `
    given  a compensate; b after a compensate; c after b
    when   create
    when   retry undo             then  answer ignored not-ended pending
    when   begin
    when   retry undo             then  answer ignored not-ended running
    when   ran a ok
    when   ran b fail permanent   then  execution failing | a/compensate queued
    when   retry undo             then  answer ignored not-ended failing
    when   ran a/compensate ok    then  execution failed
    when   retry undo             then  answer ignored nothing-to-undo failed
    `,
    COMPENSATE,
  ),
  scenario(
    "FAIL-8 a retry with undo does not undo steps that were never to be undone",
    `
    given  a compensate; b after a
    when   start
    when   ran a ok
    when   ran b fail permanent   then  execution failed
    when   retry undo             then  answer ignored nothing-to-undo failed
    when   retry
    when   ran b ok               then  execution completed
    when   retry undo             then  answer ignored nothing-to-undo completed
    `,
  ),
  scenario(
    "FAIL-8 a second retry with undo during a compensation has no effect",
    `
    given  a compensate; b after a
    when   start
    when   ran a ok
    when   ran b fail permanent
    when   ran a/compensate fail permanent then  left a
    when   retry undo
    when   granted a/compensate
    when   retry undo             then  answer ignored not-ended failing
    when   retry                  then  answer ignored not-failed failing
    when   ended a/compensate ok  then  execution failed | left
    `,
    COMPENSATE,
  ),
  scenario(
    "FAIL-8 STATE-2 a compensation that returns `skip()` has undone its step, which a new round runs again",
    `
    given  a compensate; b after a
    when   start
    when   ran a ok
    when   ran b fail permanent
    when   ran a/compensate skip "it is gone" then  a/compensate skipped | execution failed | left
    when   retry undo             then  answer ignored nothing-to-undo failed
    when   retry                  then  a queued | b waiting
    `,
    COMPENSATE,
  ),
  scenario(
    "FAIL-8 FAIL-9 CANCEL-7 a continued compensation has its own retries and losses, and can be paused and parked",
    `
    given  a compensate; b after a
    when   start
    when   ran a ok
    when   ran b fail permanent
    when   ran a/compensate fail permanent
    when   retry undo
    when   granted a/compensate
    when   lost a/compensate      then  a/compensate queued | a/compensate attempt 0 | a/compensate epoch 1
    when   ran a/compensate fail transient then  a/compensate retrying | armed backoff a/compensate +1000
    when   pause                  then  execution failing
    when   later 1000             then  a/compensate retrying
    when   resume
    when   later 0                then  a/compensate queued
    when   park "no agent"        then  execution parked
    when   resume                 then  execution failing | a/compensate retrying
    when   later 0                then  a/compensate queued
    when   ran a/compensate ok    then  execution failed | left
    `,
    COMPENSATE,
  ),
  scenario(
    "FAIL-8 CANCEL-2 a cancel during a continued compensation lets it end, and the execution is cancelled then",
    `
    given  a compensate; b after a compensate; c after b
    when   start
    when   ran a ok
    when   ran b ok
    when   ran c fail permanent
    when   ran b/compensate fail permanent
    when   ran a/compensate fail permanent
    when   retry undo
    when   granted b/compensate
    when   cancel abort compensate then  b/compensate running | a/compensate waiting | execution cancelling
    when   ended b/compensate fail permanent then  a/compensate queued
    when   ran a/compensate ok    then  execution cancelled | left b
    when   retry undo             then  b/compensate queued | execution cancelling
    when   ran b/compensate ok    then  execution cancelled | left
    `,
    COMPENSATE,
  ),
  scenario(
    "FAIL-8 FAIL-4 the deadline of the execution ends with it and does not limit a continued compensation",
    `
    given  a compensate; b after a
    when   start
    when   ran a ok
    when   ran b fail permanent
    when   ran a/compensate fail permanent then  execution failed | left a | armed execution-deadline +100
    when   retry undo             then  execution failing
    when   granted a/compensate
    when   later 500              then  answer ignored stale failing | events
    when   ended a/compensate ok  then  execution failed | execution because E | left
    `,
    { workflow: { onFailure: "compensate", timeout: durationMs(100) } },
  ),
];

export const undoingRounds: readonly Scenario[] = [
  scenario(
    "FAIL-8 STATE-2 a later round runs undone steps again, and keeps steps that are not undone",
    `
    given  a compensate; b after a compensate; c after b compensate; d after c
    when   start
    when   ran a ok
    when   ran b ok
    when   ran c ok
    when   ran d fail permanent
    when   ran c/compensate fail permanent
    when   ran b/compensate fail permanent
    when   ran a/compensate ok    then  left c, b
    when   retry undo
    when   ran c/compensate fail permanent
    when   ran b/compensate ok    then  left c
    when   retry                  then  execution running | round 2 | a, d queued | b waiting | c succeeded
    when   ran a ok
    when   ran b ok
    when   ran d fail permanent   then  b/compensate queued | a/compensate, c/compensate waiting
    when   ran b/compensate ok
    when   ran a/compensate ok
    when   ran c/compensate ok    then  execution failed | left
    `,
    COMPENSATE,
  ),
  scenario(
    "FAIL-8 STATE-2 steps that an earlier round could not undo are not tried again once a new round has begun",
    `
    given  a compensate; b after a
    when   start
    when   ran a ok
    when   ran b fail permanent
    when   ran a/compensate fail permanent then  left a
    when   retry                  then  a succeeded | b queued
    when   retry undo             then  answer ignored not-ended running
    when   ran b ok               then  execution completed
    when   retry undo             then  answer ignored nothing-to-undo completed
    `,
    COMPENSATE,
  ),
  scenario(
    "FAIL-8 STATE-9 steps of an item are undone again with their own values, and a compensation opens again",
    `
    given  m map "input" "x"; b after m
    when   start ["p","q"]
    when   ran m/0 ok 1
    when   ran m/1 ok 2
    when   ran b fail permanent
    when   ran m/1/compensate expand one
    when   ran m/1/compensate/x fail permanent
    when   ran m/0/compensate ok  then  execution failed | left m/1
    when   retry undo
    when   granted m/1/compensate then  m/1/compensate called {"input":"q"}
    when   ended m/1/compensate expand one then  m/1/compensate/x queued
    when   ran m/1/compensate/x ok then  execution failed | left
    when   retry                  then  m open | m/0, m/1 queued
    `,
    {
      ...COMPENSATE,
      steps: {
        m: {
          action: {
            kind: "map",
            over: "input",
            steps: [
              {
                id: "x" as never,
                action: { kind: "agent", agent: "work" },
                compensate: { action: { kind: "agent", agent: "undo" }, input: "${ item }" },
              },
            ],
          },
        },
      },
      expansions: {
        one: { kind: "expanded", steps: [{ id: "x" as never, action: { kind: "agent", agent: "work" } }] },
      },
    },
  ),
];
