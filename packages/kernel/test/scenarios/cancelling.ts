// Cancelling: abort and drain.

import { durationMs, stepId } from "../../src/model/units.ts";
import { scenario, type Scenario } from "./scenario.ts";

export const cancelling: readonly Scenario[] = [
  scenario(
    "CANCEL-3 (002 scenario 3) a drain cancels queued, ready and waiting steps, and lets the running step succeed (ruling 16)",
    `
    given  a; b; d after a
    when   start                  then  a, b queued | d waiting
    when   granted a              then  a running
    when   cancel drain           then  a running | b, d cancelled | b, d because unbegun | b, d says enough | execution cancelling
                                  then  events execution.cancelling, steps.cancelled | effects withdraw b
    when   ended a ok 1           then  a succeeded | d cancelled | execution cancelled | execution because enough
    `,
  ),
  scenario(
    "CANCEL-3 (ruling 17) a cancelled step stays cancelled when its last dependency succeeds",
    `
    given  a; d after a
    when   start
    when   granted a
    when   cancel drain           then  d cancelled
    when   ended a ok             then  a succeeded | d cancelled
    `,
  ),
  scenario(
    "CANCEL-2 an abort signals running attempts and gives them five seconds; then they are killed",
    `
    given  a; b after a
    when   start
    when   granted a
    when   cancel abort           then  a cancelling | a because stopping | a says enough | b cancelled | execution cancelling
                                  then  effects abort a, arm grace-end a +5000
    when   later 4999             then  a cancelling
    when   later 1                then  a cancelled | a because by-force | execution cancelled
                                  then  effects abort a by force, release a, disarm grace-end a
                                  then  events step.cancelled, execution.cancelled
    when   ended a ok             then  a cancelled | answer ignored stale cancelled | events
    `,
  ),
  scenario(
    "CANCEL-2 the grace is configurable, by the workflow and by the cancellation",
    `
    given  a
    when   start
    when   granted a
    when   cancel abort grace 70  then  armed grace-end a +70
    when   later 70               then  a cancelled | execution cancelled
    `,
    { workflow: { grace: durationMs(300) } },
  ),
  scenario(
    "CANCEL-2 a value returned within the grace counts, and the execution is cancelled all the same",
    `
    given  a; b after a
    when   start
    when   granted a
    when   cancel abort
    when   ended a ok 5           then  a succeeded | a output 5 | b cancelled | execution cancelled
    `,
  ),
  scenario(
    "CANCEL-5 the journal says of each running step whether it ended by itself or by force",
    `
    given  a; b; c; d
    when   start
    when   granted a
    when   granted b
    when   granted c
    when   granted d
    when   cancel abort
    when   ended a fail cancelled then  a cancelled | a because itself | a says enough
    when   ended b skip "stopped" then  b cancelled | b because itself
    when   lost d                 then  d cancelled | d because by-force | d says enough
    when   later 5000             then  c cancelled | c because by-force | execution cancelled
    `,
  ),
  scenario(
    "CANCEL-5 an attempt whose output cannot be captured, or that expands, within the grace period ended by itself",
    `
    given  a; b
    when   start
    when   granted a
    when   granted b
    when   cancel abort
    when   ended a ok "text"      then  a cancelled | a because itself
    when   ended b expand more    then  b cancelled | b because itself | execution cancelled
    `,
    {
      steps: { a: { output: { schema: { type: "number" } } } },
      expansions: {
        more: { kind: "expanded", steps: [{ id: stepId("x"), action: { kind: "agent", agent: "work" } }] },
      },
    },
  ),
  scenario(
    "CANCEL-4 waiting, ready, queued, retrying and suspended steps are cancelled at once, as one event (002 table)",
    `
    given  a; b after a; c retry 2; d signal go; e sleep 900
    when   start
    when   ran c fail transient   then  a queued | b waiting | c retrying | d, e suspended
    when   cancel abort           then  a, b, c, d, e cancelled | execution cancelled
                                  then  events execution.cancelling, steps.cancelled, execution.cancelled
                                  then  does withdraw a | does disarm backoff c | does disarm wait d | armed
    `,
  ),
  scenario(
    "CANCEL-4 a ready step of a paused execution is cancelled at once",
    `
    given  a
    when   start
    when   pause                  then  a ready
    when   cancel abort           then  a cancelled | execution cancelled
    `,
  ),
  scenario(
    "CANCEL-4 a step that is queued again after its backoff is cancelled at once",
    `
    given  a
    when   start
    when   ran a fail transient
    when   later 1000             then  a queued
    when   cancel drain           then  a cancelled | execution cancelled | effects withdraw a, disarm backoff a
    `,
  ),
  scenario(
    "CANCEL-6 cancelling twice, or something that has ended, is answered with its state",
    `
    given  a
    when   start
    when   granted a
    when   cancel abort           then  answer accepted
    when   cancel abort           then  answer ignored already-cancelling cancelling | events
    when   cancel drain           then  answer ignored already-cancelling cancelling | events
    when   ended a ok
    when   cancel abort           then  answer ignored ended cancelled | events
    when   pause                  then  answer ignored ended cancelled
    when   resume                 then  answer ignored ended cancelled
    when   park "x"               then  answer ignored ended cancelled
    when   signal go s1           then  answer ignored ended cancelled
    when   retry                  then  answer ignored ended cancelled
    `,
  ),
  scenario(
    "CANCEL-6 cancelling once more without a grace period kills attempts that are cleaning up",
    `
    given  a; b
    when   start
    when   granted a
    when   granted b
    when   cancel abort           then  a, b cancelling
    when   ended b fail permanent
    when   cancel abort grace 10  then  answer ignored already-cancelling cancelling
    when   cancel abort grace 0   then  answer accepted | a cancelled | a because by-force | execution cancelled
    when   ended a ok             then  events
    `,
  ),
  scenario(
    "CANCEL-6 a second cancel without grace has no effect if no attempt is cleaning up",
    `
    given  a
    when   start
    when   granted a
    when   cancel drain           then  a running
    when   cancel drain grace 0   then  answer ignored already-cancelling cancelling
    `,
  ),
  scenario(
    "CANCEL-3 a drain is turned into an abort, never back",
    `
    given  a; b
    when   start
    when   granted a
    when   granted b
    when   cancel drain           then  a, b running
    when   ended b ok
    when   cancel abort grace 10  then  a cancelling | answer accepted | execution cancelling
    when   cancel drain           then  answer ignored already-cancelling cancelling
    when   later 10               then  a cancelled | execution cancelled
    `,
  ),
  scenario(
    "CANCEL-3 an attempt that fails in a drain is not tried again",
    `
    given  a; b after a
    when   start
    when   granted a
    when   cancel drain
    when   ended a fail transient then  a failed | execution cancelled
    `,
  ),
  scenario(
    "CANCEL-3 an attempt that is lost in a drain is not run again",
    `
    given  a
    when   start
    when   granted a
    when   cancel drain
    when   lost a                 then  a cancelled | a because by-force | execution cancelled
    `,
  ),
  scenario(
    "CANCEL-3 an attempt that expands in a drain gets no steps",
    `
    given  a
    when   start
    when   granted a
    when   cancel drain
    when   ended a expand more    then  a cancelled | a because itself | execution cancelled | effects release a
    `,
    {
      expansions: {
        more: { kind: "expanded", steps: [{ id: stepId("x"), action: { kind: "agent", agent: "work" } }] },
      },
    },
  ),
  scenario(
    "CANCEL-3 a scope whose running children all end well while it is drained ends well",
    `
    given  m map "input" "x"; n after m
    when   start [1,2]
    when   granted m/0
    when   granted m/1
    when   cancel drain           then  m open | n cancelled
    when   ended m/0 ok 1
    when   ended m/1 ok 2         then  m succeeded | m output [1,2] | execution cancelled
    `,
  ),
  scenario(
    "CANCEL-3 a scope that loses a child to the drain is cancelled",
    `
    given  m map "input" "x"
    when   start [1,2]
    when   granted m/0
    when   cancel drain           then  m open | m/0 running | m/1 cancelled
    when   ended m/0 ok 1         then  m/0 succeeded | m cancelled | execution cancelled
    `,
  ),
  scenario(
    "CANCEL-2 an abort reaches the children of a scope",
    `
    given  m map "input" "x"; n after m
    when   start [1,2,3]
    when   granted m/0
    when   ran m/2 ok
    when   cancel abort           then  m, m/0 cancelling | m/1, n cancelled | m/2 succeeded
                                  then  events execution.cancelling, steps.cancelled, steps.cancelling
    when   later 5000             then  m/0 cancelled | m/0 because by-force | m cancelled | m because itself
                                  then  execution cancelled
    `,
  ),
  scenario(
    "STATE-6 CANCEL-2 clean-up does not run while the execution is being cancelled",
    `
    given  a; tidy after a settled
    when   start
    when   granted a
    when   cancel abort           then  tidy cancelled
    when   ended a ok             then  tidy cancelled | execution cancelled
    `,
  ),
  scenario(
    "STATE-1 an execution is cancelled before it begins",
    `
    given  a; b after a
    when   create
    when   cancel abort           then  a, b cancelled | execution cancelled
                                  then  events execution.cancelling, steps.cancelled, execution.cancelled
    when   begin                  then  answer ignored not-pending cancelled
    `,
  ),
  scenario(
    "STATE-1 an execution without steps is cancelled before it begins",
    `
    when   create
    when   cancel abort           then  execution cancelled | events execution.cancelling, execution.cancelled
    `,
  ),
  scenario(
    "STATE-1 an execution is cancelled while its input is being checked",
    `
    given  a
    when   create sha256:big
    when   begin                  then  execution validating | needs sha256:big
    when   cancel abort           then  execution cancelled
    `,
    { workflow: { input: { type: "object" } }, values: { "sha256:big": {} } },
  ),
  scenario(
    "STATE-1 a failing execution is cancelled, clean-up and all",
    `
    given  a; b; tidy after a settled; more after b settled
    when   start
    when   granted b
    when   ran a fail permanent   then  b cancelling | tidy queued | more waiting | execution failing
    when   granted tidy
    when   cancel abort           then  tidy cancelling | more cancelled | execution cancelling
    when   ended tidy ok
    when   later 5000             then  b cancelled | execution cancelled
    `,
  ),
  scenario(
    "CANCEL-2 each stopped step has its own grace",
    `
    given  a; b; tidy after a settled
    when   start
    when   granted b
    when   ran a fail permanent   then  b cancelling | armed grace-end b +5000
    when   granted tidy
    when   later 3000
    when   cancel abort           then  tidy cancelling
    when   later 2000             then  b cancelled | tidy cancelling | armed grace-end tidy +3000
    when   later 3000             then  tidy cancelled | tidy because by-force | execution cancelled
    `,
  ),
  scenario(
    "STATE-1 a parked execution is cancelled",
    `
    given  a
    when   start
    when   park "no agent"
    when   cancel abort           then  a cancelled | execution cancelled
    `,
  ),
];
