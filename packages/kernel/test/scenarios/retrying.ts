// Attempts that fail, and when another one follows.

import { durationMs } from "../../src/model/units.ts";
import { scenario, type Scenario } from "./scenario.ts";

export const retrying: readonly Scenario[] = [
  scenario(
    "FAIL-2 FAIL-3 without a policy a transient failure is tried three times in all, after 1000 and 2000 ms (ruling 27)",
    `
    given  a
    when   start
    when   ran a fail transient   then  a retrying | a because E | a attempt 1 | armed backoff a +1000
    when   later 999              then  a retrying
    when   later 1                then  a queued | effects admit a
    when   ran a fail transient   then  a retrying | a attempt 2 | armed backoff a +2000
    when   later 2000             then  a queued
    when   ran a fail transient "last" then  a failed | a attempt 3 | a says last | execution failed
    `,
  ),
  scenario(
    "FAIL-2 a permanent failure and a cancelled one are never tried again",
    `
    given  a continue; b
    when   start
    when   ran a fail permanent   then  a failed | a attempt 1
    when   ran b fail cancelled   then  b failed | b attempt 1
    `,
  ),
  scenario(
    "FAIL-3 the delay grows by its factor up to its maximum",
    `
    given  a
    when   start
    when   ran a fail transient   then  armed backoff a +100
    when   later 100
    when   ran a fail transient   then  armed backoff a +300
    when   later 300
    when   ran a fail transient   then  armed backoff a +500
    when   later 500
    when   ran a fail transient   then  armed backoff a +500
    when   later 500
    when   ran a ok               then  a succeeded | a attempt 5
    `,
    { steps: { a: { retry: { attempts: 9, base: durationMs(100), factor: 3, max: durationMs(500) } } } },
  ),
  scenario(
    "FAIL-3 a Retry-After beats formula and maximum",
    `
    given  a
    when   start
    when   ran a fail transient "busy" retry-after 90000 then  a retrying | armed backoff a +90000
    when   later 90000            then  a queued
    when   ran a fail transient "busy" retry-after 0     then  armed backoff a +0
    `,
  ),
  scenario(
    "FAIL-3 a Retry-After does not beat the number of attempts, nor a permanent failure",
    `
    given  a retry 1 continue; b
    when   start
    when   ran a fail transient "busy" retry-after 5 then  a failed
    when   ran b fail permanent "busy" retry-after 5 then  b failed
    `,
  ),
  scenario(
    "FAIL-2 a timeout is tried again only where the policy says so",
    `
    given  a timeout 100 continue; b timeout 100
    when   start
    when   granted a
    when   granted b              then  armed attempt-deadline a +100, attempt-deadline b +100
    when   later 100              then  a, b cancelling | does abort a | does abort b | armed grace-end a +5000, grace-end b +5000
    when   ended a fail cancelled then  a failed | a because ATTEMPT_TIMEOUT
    when   ended b fail cancelled then  b retrying | b because ATTEMPT_TIMEOUT | armed backoff b +1000
    when   ended b ok             then  b retrying | answer ignored stale running
    when   later 1000             then  b queued
    when   ran b ok               then  execution completed
    `,
    { steps: { b: { retry: { attempts: 2, on: ["timeout"] } } } },
  ),
  scenario(
    "FAIL-2 a policy that lists only timeouts does not try transient failures again",
    `
    given  a
    when   start
    when   ran a fail transient   then  a failed
    `,
    { steps: { a: { retry: { on: ["timeout"] } } } },
  ),
  scenario(
    "FAIL-4 a deadline of an attempt that has ended is forgotten, and ignored when it comes all the same",
    `
    given  a timeout 100; b
    when   start
    when   granted a
    when   due attempt-deadline a then  a running | answer ignored stale running
    when   ended a ok             then  does release a | armed
    when   due attempt-deadline a then  answer ignored stale running | events
    `,
  ),
  scenario(
    "FAIL-3 a backoff that comes too early, or under an old epoch, is ignored",
    `
    given  a
    when   start
    when   ran a fail transient
    when   due backoff a          then  a retrying | answer ignored stale running
    when   later 1000             then  a queued
    when   due backoff a          then  a queued | answer ignored already-held running
    when   granted a
    when   due backoff a 1        then  a running | answer ignored stale running
    `,
  ),
  scenario(
    "DATA-10 every attempt is called with the same input as the first",
    `
    given  a; b after a
    when   start
    when   ran a ok {"n":1}
    when   granted b              then  b called {"input":1}
    when   ended b fail transient
    when   later 1000
    when   granted b              then  b called {"input":1} | b attempt 2
    when   lost b
    when   granted b              then  b called {"input":1} | b attempt 2 | b epoch 3
    `,
    { steps: { b: { input: "${ steps.a.output.n }" } } },
  ),
  scenario(
    "FAIL-9 a lost attempt runs again under a higher epoch, and does not count against the policy",
    `
    given  a retry 1
    when   start
    when   granted a
    when   lost a                 then  a queued | a attempt 0 | events step.lost | effects release a, admit a
    when   granted a              then  a attempt 1 | a epoch 2
    when   ended a ok             then  execution completed
    `,
  ),
  scenario(
    "FAIL-9 the fifth loss parks the execution with the reason; a person resumes it",
    `
    given  a; b
    when   start
    when   granted a
    when   lost a
    when   granted a
    when   lost a
    when   granted a
    when   lost a
    when   granted a
    when   lost a                 then  execution running
    when   granted a
    when   lost a                 then  execution parked | a, b ready | events step.lost, execution.parked
                                  then  effects release a, withdraw
    when   resume                 then  execution running | a, b queued
    when   ran b ok
    when   ran a ok               then  execution completed
    `,
  ),
  scenario(
    "FAIL-9 an execution whose agent is not registered is parked, not failed",
    `
    given  a
    when   start
    when   park "there is no agent called work" then  execution parked | a ready | effects withdraw
    when   granted a              then  a ready | effects release a | answer ignored not-asked parked
    when   resume                 then  execution running | a queued
    `,
  ),
];
