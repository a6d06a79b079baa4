// Fallbacks: another step runs in place of one that failed.

import { scenario, type Scenario } from "./scenario.ts";

export const fallbacks: readonly Scenario[] = [
  scenario(
    "STATE-8 a fallback replaces its primary: dependants read its output under the primary's id, the primary stays failed",
    `
    given  a fallback f; f; b after a
    when   start                  then  a queued | f, b waiting
    when   ran a fail permanent   then  a failed | f queued | b waiting | execution running
    when   ran f ok "instead"     then  a failed | f succeeded | b queued
    when   granted b              then  b called {"input":{"output":"instead","status":"failed"}}
    when   ended b ok             then  execution completed
    `,
    { steps: { b: { input: { output: "${ steps.a.output }", status: "${ steps.a.status }" } } } },
  ),
  scenario(
    "STATE-8 a fallback that is not needed is skipped, fallback-unused",
    `
    given  a fallback f; f; b after a
    when   start
    when   ran a ok 1             then  f skipped | f because fallback-unused a | b queued
    when   ran b ok               then  execution completed
    `,
  ),
  scenario(
    "STATE-8 a failed fallback fails its primary for good",
    `
    given  a fallback f; f; b after a; c
    when   start
    when   ran a fail permanent "first"  then  execution running
    when   ran f fail permanent "second" then  f, a failed | b, c skipped | execution failed | execution says first
    `,
  ),
  scenario(
    "STATE-8 a fallback runs for any final failure: exhausted, permanent, timeout, bad input (ruling 28)",
    `
    given  a retry 2 fallback fa; fa; b fallback fb; fb; c timeout 50 fallback fc; fc; d fallback fd; fd
    when   start 5                then  d failed | d because INPUT_INVALID | fd queued
    when   ran a fail transient   then  a retrying | fa waiting
    when   later 1000
    when   ran a fail transient   then  a failed | fa queued
    when   ran b fail permanent   then  b failed | fb queued
    when   granted c
    when   later 50               then  c cancelling | fc waiting
    when   ended c ok             then  c failed | fc queued
    when   ran fa ok
    when   ran fb ok
    when   ran fc ok
    when   ran fd ok              then  execution completed
    `,
    { steps: { d: { fallback: "fd" as never, input: "${ input }", inputSchema: { type: "string" } } } },
  ),
  scenario(
    "STATE-8 fallbacks chain: the primary is settled when the last of them has ended",
    `
    given  a fallback f; f fallback g; g; b after a
    when   start
    when   ran a fail permanent   then  f queued | g waiting | b waiting
    when   ran f fail permanent   then  f failed | g queued | b waiting | execution running
    when   ran g ok "g"           then  b queued | a output "g"
    when   ran b ok               then  execution completed
    `,
  ),
  scenario(
    "STATE-8 the rest of a chain is not used if its first fallback succeeds",
    `
    given  a fallback f; f fallback g; g
    when   start
    when   ran a fail permanent
    when   ran f ok               then  g skipped | g because fallback-unused f | execution completed
    `,
  ),
  scenario(
    "STATE-8 a chain of which every link fails fails its first step",
    `
    given  a fallback f; f fallback g; g; b after a
    when   start
    when   ran a fail permanent "first"
    when   ran f fail permanent
    when   ran g fail permanent   then  b skipped | execution failed | execution says first
    `,
  ),
  scenario(
    "STATE-8 the fallback of a step that is skipped is unused, all along its chain",
    `
    given  x continue; a after x fallback f; f fallback g; g
    when   start
    when   ran x fail permanent   then  a skipped | f, g skipped | f because fallback-unused a | g because fallback-unused f
                                  then  execution completed
    `,
  ),
  scenario(
    "STATE-8 the fallback of a cancelled primary never runs",
    `
    given  a fallback f; f
    when   start
    when   granted a
    when   cancel abort           then  a cancelling | f cancelled
    when   ended a fail permanent then  a cancelled | f cancelled | execution cancelled
    `,
  ),
  scenario(
    "STATE-8 a fallback that says skip satisfies the dependants of its primary, which see null",
    `
    given  a fallback f; f; b after a
    when   start
    when   ran a fail permanent
    when   ran f skip "nothing to do" then  b queued
    when   granted b              then  b called {"input":null}
    when   ended b ok             then  execution completed
    `,
    { steps: { b: { input: "${ steps.a.output }" } } },
  ),
  scenario(
    "STATE-8 a settled edge on a primary waits for its fallback too",
    `
    given  a fallback f; f; tidy after a settled
    when   start
    when   ran a fail permanent   then  tidy waiting | f queued
    when   ran f ok               then  tidy queued
    `,
  ),
  scenario(
    "STATE-8 a primary that may fail stays so: its failed fallback does not fail the execution",
    `
    given  a continue fallback f; f; b after a; c
    when   start
    when   ran a fail permanent
    when   ran f fail permanent   then  b skipped | b because dependency-failed a | c queued | execution running
    when   ran c ok               then  execution completed
    `,
  ),
  scenario(
    "STATE-8 a fallback under way is stopped when another step fails the execution",
    `
    given  a fallback f; f; b
    when   start
    when   ran a fail permanent
    when   granted f
    when   ran b fail permanent "b's" then  f cancelling | execution failing
    when   ended f fail cancelled then  f cancelled | execution failed | execution says b's
    `,
  ),
  scenario(
    "STATE-8 the fallback of a disabled step is disabled with it",
    `
    given  a disabled fallback f; f; b after a
    when   start                  then  a, f skipped | b queued
    when   ran b ok               then  execution completed
    `,
  ),
];
