// An attempt times out: it is told to stop, has its grace period, and is killed.

import { durationMs } from "../../src/model/units.ts";
import { scenario, type Scenario } from "./scenario.ts";
import { parseTable } from "./table.ts";

const TIMEOUTS = { retry: { attempts: 2, on: ["timeout"] as const } };

export const timeouts: readonly Scenario[] = [
  scenario(
    "FAIL-4 CANCEL-2 an attempt that timed out is told to stop, has five seconds, and is then killed (ruling 50)",
    `
    given  a timeout 100 retry 1; b after a
    when   start
    when   granted a
    when   later 100              then  a cancelling | a because stopping | a says the attempt took longer than 100 ms
                                  then  events step.overdue | effects abort a, arm grace-end a +5000
    when   later 4999             then  a cancelling
    when   later 1                then  a failed | a because ATTEMPT_TIMEOUT | execution failed
                                  then  does abort a by force | does release a
    when   ended a ok             then  a failed | answer ignored stale failed
    `,
  ),
  scenario(
    "FAIL-4 CANCEL-2 the workflow says how long the grace of a timeout is",
    `
    given  a timeout 100
    when   start
    when   granted a
    when   later 100              then  armed grace-end a +70
    when   later 70               then  a failed
    `,
    { workflow: { grace: durationMs(70) } },
  ),
  scenario(
    "FAIL-4 CANCEL-2 without a grace force is used at once",
    `
    given  a timeout 100
    when   start
    when   granted a
    when   later 100              then  a failed | a because ATTEMPT_TIMEOUT | effects abort a by force, release a
    `,
    { workflow: { grace: durationMs(0) } },
  ),
  scenario(
    "FAIL-4 FAIL-1 whatever comes within the grace of a timeout, the attempt has timed out (ruling 50)",
    `
    given  a timeout 100 continue; b timeout 100 continue; c timeout 100 continue; d timeout 100 continue
    given  e timeout 100 continue
    when   start
    when   granted a
    when   granted b
    when   granted c
    when   granted d
    when   granted e
    when   later 100              then  a, b, c, d, e cancelling
    when   ended a ok 5           then  a failed | a because ATTEMPT_TIMEOUT
    when   ended b fail permanent then  b failed | b because ATTEMPT_TIMEOUT
    when   ended c skip "no news" then  c failed | c because ATTEMPT_TIMEOUT
    when   lost d                 then  d failed | d because ATTEMPT_TIMEOUT
    when   ended e expand more    then  e failed | e because ATTEMPT_TIMEOUT | execution completed | armed
    `,
    { expansions: { more: { kind: "expanded", steps: parseTable("given x").steps } } },
  ),
  scenario(
    "FAIL-2 FAIL-4 the next attempt waits until the one that timed out has stopped, or was ended by force",
    `
    given  a timeout 100
    when   start
    when   granted a
    when   later 100
    when   later 5000             then  a retrying | does abort a by force | does release a | armed backoff a +1000
    when   later 1000             then  a queued
    when   granted a              then  a running | a attempt 2
    when   later 100              then  a cancelling
    when   ended a ok             then  a failed | execution failed
    `,
    { steps: { a: TIMEOUTS } },
  ),
  scenario(
    "FAIL-4 attempts that time out one after the other are ended by force one after the other",
    `
    given  a timeout 100 continue; b timeout 300 continue
    when   start
    when   granted a
    when   granted b
    when   later 100              then  armed attempt-deadline b +200, grace-end a +500
    when   later 200              then  b cancelling | armed grace-end a +300, grace-end b +500
    when   later 300              then  a failed | b cancelling | armed grace-end b +200
    when   later 200              then  b failed | execution completed | armed
    `,
    { workflow: { grace: durationMs(500) } },
  ),
  scenario(
    "FAIL-4 CANCEL-2 a step that timed out is not retried when the execution is cancelled, and keeps its own deadline",
    `
    given  a timeout 100
    when   start
    when   granted a
    when   later 100              then  armed grace-end a +500
    when   later 100
    when   cancel abort grace 900 then  a cancelling | a says enough | events execution.cancelling, steps.cancelling
                                  then  effects arm grace-end a +400
    when   later 400              then  a failed | a because ATTEMPT_TIMEOUT | execution cancelled
    `,
    { workflow: { grace: durationMs(500) }, steps: { a: TIMEOUTS } },
  ),
  scenario(
    "FAIL-4 CANCEL-2 a cancel with less grace shortens that of a timeout",
    `
    given  a timeout 100
    when   start
    when   granted a
    when   later 100              then  armed grace-end a +5000
    when   cancel abort grace 20  then  armed grace-end a +20
    when   later 20               then  a failed | a because ATTEMPT_TIMEOUT | execution cancelled
    `,
  ),
  scenario(
    "FAIL-4 CANCEL-3 CANCEL-6 a drain lets a step that timed out stop, and a second cancel without grace kills it",
    `
    given  a timeout 100; b timeout 100
    when   start
    when   granted a
    when   granted b
    when   later 100
    when   cancel drain           then  a, b cancelling
    when   ended a ok             then  a failed | b cancelling
    when   cancel drain grace 0   then  b failed | b because ATTEMPT_TIMEOUT | execution cancelled
    `,
    { steps: { a: TIMEOUTS, b: TIMEOUTS } },
  ),
  scenario(
    "FAIL-4 STATE-7 a step that timed out is not retried when another step fails the execution",
    `
    given  a timeout 100; b
    when   start
    when   granted a
    when   later 100              then  a cancelling
    when   ran b fail permanent   then  a cancelling | execution failing
    when   ended a fail cancelled then  a failed | a because ATTEMPT_TIMEOUT | execution failed | execution says it broke
    `,
    { steps: { a: TIMEOUTS } },
  ),
  scenario(
    "FAIL-4 STATE-6 clean-up that timed out is tried again while the execution fails",
    `
    given  a; tidy after a settled timeout 100
    when   start
    when   ran a fail permanent   then  tidy queued | execution failing
    when   granted tidy
    when   later 100
    when   ended tidy ok          then  tidy retrying
    when   later 1000
    when   ran tidy ok            then  tidy succeeded | execution failed
    `,
    { steps: { tidy: TIMEOUTS } },
  ),
  scenario(
    "FAIL-4 FAIL-9 an attempt that timed out and is lost with its process has timed out, and no crash is counted",
    `
    given  a timeout 100
    when   start
    when   granted a
    when   later 100
    when   lost a                 then  a retrying | a because ATTEMPT_TIMEOUT | a attempt 1 | armed backoff a +1000
    `,
    { steps: { a: TIMEOUTS } },
  ),
];
