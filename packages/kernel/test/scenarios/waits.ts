// Waits: signals, approvals and times.

import type { ActionDefinition } from "../../src/model/definition.ts";
import { durationMs } from "../../src/model/units.ts";
import { scenario, type Scenario } from "./scenario.ts";

const approval = (fields: Partial<ActionDefinition & { kind: "approve" }>): { action: ActionDefinition } => ({
  action: { kind: "approve", ...fields },
});

const signals: readonly Scenario[] = [
  scenario(
    "STATE-2 a step waits for its signal and outputs the payload",
    `
    given  a signal go; b after a
    when   start                  then  a suspended | a because signal go | events execution.created, execution.validating, execution.started, step.suspended
    when   signal stop s0 1       then  a suspended | answer accepted
    when   signal go s1 {"n":2}   then  a succeeded | a output {"n":2} | b queued
                                  then  events signal.received, step.completed
    `,
  ),
  scenario(
    "BEYOND-2 a signal that comes before anyone waits is kept",
    `
    given  x; a signal go after x
    when   start
    when   signal go s1 5         then  a waiting | answer accepted
    when   ran x ok               then  a succeeded | a output 5 | execution completed
    `,
  ),
  scenario(
    "BEYOND-2 a signal that comes before the start is kept",
    `
    given  a signal go
    when   create
    when   signal go s1 5         then  a waiting | answer accepted
    when   begin                  then  a succeeded | a output 5 | execution completed
    `,
  ),
  scenario(
    "BEYOND-2 a signal counts once, by its id",
    `
    given  a signal go; b after a signal go
    when   start
    when   signal go s1 1         then  a succeeded | b suspended
    when   signal go s1 2         then  b suspended | answer ignored duplicate running | events
    when   signal go s2 3         then  b output 3
    `,
  ),
  scenario(
    "BEYOND-2 two steps that wait for the same signal get it in the order in which they began to wait",
    `
    given  x; a signal go after x; b signal go
    when   start                  then  b suspended
    when   ran x ok               then  a suspended
    when   signal go s1 "first"   then  b output "first" | a suspended
    when   signal go s2 "second"  then  a output "second" | execution completed
    `,
  ),
  scenario(
    "BEYOND-2 the oldest signal is consumed first",
    `
    given  x; a signal go after x; b signal go after a
    when   start
    when   signal go s1 "first"
    when   signal go s2 "second"
    when   ran x ok               then  a output "first" | b output "second" | execution completed
    `,
  ),
  scenario(
    "BEYOND-2 a signal that does not fit is refused, once, and the step waits on",
    `
    given  a signal go; b signal go
    when   start
    when   signal go s1 "text"    then  a suspended | b output "text" | events signal.received, signal.refused, step.completed
    when   signal go s2 "more"    then  a suspended | events signal.received, signal.refused
    when   signal go s3 7         then  a output 7 | execution completed
    `,
    { steps: { a: { action: { kind: "wait", on: "signal", signal: "go", schema: { type: "number" } } } } },
  ),
  scenario(
    "STATE-2 a signal that does not come in time fails the step",
    `
    given  a
    when   start                  then  a suspended | armed wait a +100
    when   due wait a             then  a suspended | answer ignored stale running
    when   later 100              then  a failed | a because SIGNAL_TIMEOUT | execution failed
    when   due wait a             then  answer ignored stale failed
    `,
    { steps: { a: { action: { kind: "wait", on: "signal", signal: "go", timeout: durationMs(100) } } } },
  ),
  scenario(
    "STATE-2 a signal in time disarms its timer",
    `
    given  a
    when   start
    when   later 99
    when   signal go s1           then  a succeeded | armed | execution completed
    `,
    { steps: { a: { action: { kind: "wait", on: "signal", signal: "go", timeout: durationMs(100) } } } },
  ),
  scenario(
    "STATE-8 an expired wait is replaced by its fallback",
    `
    given  a fallback f; f
    when   start
    when   later 100              then  a failed | f queued
    when   ran f ok               then  execution completed
    `,
    { steps: { a: { action: { kind: "wait", on: "signal", signal: "go", timeout: durationMs(100) } } } },
  ),
];

const approvals: readonly Scenario[] = [
  scenario(
    "BEYOND-2 an approval is there when its quorum is",
    `
    given  a approve; b after a
    when   start                  then  a suspended | a because approval
    when   vote a v1 ann approve  then  a suspended | events approval.voted
    when   vote a v2 bob approve "fine" then  a succeeded | b queued | events approval.voted, step.completed
                                  then  a output {"approved":true,"expired":false,"votes":[{"by":"ann","verdict":"approve","comment":null},{"by":"bob","verdict":"approve","comment":"fine"}]}
    `,
    { steps: { a: approval({ quorum: 2 }) } },
  ),
  scenario(
    "BEYOND-2 one rejection fails the step, with the comment",
    `
    given  a approve
    when   start
    when   vote a v1 ann approve
    when   vote a v2 bob reject "not yet" then  a failed | a because APPROVAL_REJECTED | a says bob rejected it: not yet
    `,
    { steps: { a: approval({ quorum: 2 }) } },
  ),
  scenario(
    "BEYOND-2 the same voter twice counts once",
    `
    given  a approve
    when   start
    when   vote a v1 ann approve
    when   vote a v2 ann approve  then  a suspended | answer accepted
    when   vote a v3 bob approve  then  a succeeded
    `,
    { steps: { a: approval({ quorum: 2 }) } },
  ),
  scenario(
    "BEYOND-2 a request for changes discards the votes before it",
    `
    given  a approve
    when   start
    when   vote a v1 ann approve
    when   vote a v2 bob changes "rename it" then  a suspended
    when   vote a v3 bob approve  then  a suspended
    when   vote a v4 ann approve  then  a succeeded
    `,
    { steps: { a: approval({ quorum: 2 }) } },
  ),
  scenario(
    "BEYOND-2 only approvers vote, each vote counts once, and only while it is waited for",
    `
    given  a approve; b after a
    when   start
    when   vote a v1 eve approve  then  answer ignored not-an-approver running | events
    when   vote b v1 ann approve  then  answer ignored not-an-approval running | events
    when   vote c v1 ann approve  then  answer ignored unknown-step running | events
    when   vote a/b v1 ann approve then  answer ignored unknown-step running | events
    when   vote a v2 ann changes  then  answer accepted
    when   vote a v2 ann approve  then  answer ignored duplicate running | events
    when   vote a v3 ann approve  then  a succeeded
    when   vote a v4 ann reject   then  a succeeded | answer ignored not-waiting running
    when   vote a v3 ann reject   then  a succeeded | answer ignored duplicate running
    when   ran b ok               then  execution completed
    when   vote a v5 ann reject   then  answer ignored ended completed | events
    when   vote c v5 ann reject   then  answer ignored ended completed | events
    `,
    { steps: { a: approval({ by: ["ann"] }) } },
  ),
  scenario(
    "BEYOND-2 an approval that expires fails the step",
    `
    given  a
    when   start                  then  armed wait a +100
    when   later 100              then  a failed | a because APPROVAL_EXPIRED | execution failed
    `,
    { steps: { a: approval({ expires: durationMs(100) }) } },
  ),
  scenario(
    "BEYOND-2 an approval that expires approves where its author said so",
    `
    given  a
    when   start
    when   vote a v1 ann approve
    when   later 100              then  a succeeded
                                  then  a output {"approved":true,"expired":true,"votes":[{"by":"ann","verdict":"approve","comment":null}]}
    `,
    { steps: { a: approval({ quorum: 2, expires: durationMs(100), onExpire: "approve" }) } },
  ),
  scenario(
    "BEYOND-2 votes of an earlier round do not count in the next",
    `
    given  a approve
    when   start
    when   vote a v1 ann approve
    when   vote a v2 bob reject   then  execution failed
    when   retry                  then  a suspended
    when   vote a v1 ann approve  then  a suspended | answer ignored duplicate running | events
    when   vote a v3 bob approve  then  a suspended
    when   vote a v4 ann approve  then  execution completed
    `,
    { steps: { a: approval({ quorum: 2 }) } },
  ),
  scenario(
    "DATA-5 the message of an approval is a template",
    `
    given  a
    when   start {"tag":"v1"}     then  a suspended
    `,
    { steps: { a: approval({ message: "release ${ input.tag }?" }) } },
  ),
];

const times: readonly Scenario[] = [
  scenario(
    "STATE-2 a step waits for so long",
    `
    given  a sleep 500; b after a
    when   start                  then  a suspended | a because timer | armed wait a +500
    when   later 499              then  a suspended
    when   later 1                then  a succeeded | a output null | b queued
    `,
  ),
  scenario(
    "STATE-2 a step waits until a time, in milliseconds or as ISO text",
    `
    given  a; b
    when   start {"at":1001000,"iso":"1970-01-01T00:16:42Z"} then  a, b suspended | armed wait a +1000, wait b +2000
    when   later 1000             then  a succeeded | b suspended
    when   later 1000             then  b succeeded | execution completed
    `,
    {
      steps: {
        a: { action: { kind: "wait", on: "time", until: "${ input.at }" } },
        b: { action: { kind: "wait", on: "time", until: "${ input.iso }" } },
      },
    },
  ),
  scenario(
    "STATE-2 a time that is over already is waited for no longer than that",
    `
    given  a
    when   start 5                then  a suspended
    when   later 0                then  a succeeded
    `,
    { steps: { a: { action: { kind: "wait", on: "time", until: "${ input }" } } } },
  ),
  scenario(
    "STATE-4 a value that is not a time fails the step",
    `
    given  a
    when   start "soon"           then  a failed | a because WAIT_TIME_INVALID
    `,
    { steps: { a: { action: { kind: "wait", on: "time", until: "${ input }" } } } },
  ),
  scenario(
    "STATE-7 a wait is over when the execution fails",
    `
    given  a sleep 500; b
    when   start
    when   ran b fail permanent   then  a skipped | execution failed | armed
    `,
  ),
];

export const waits: readonly Scenario[] = [...signals, ...approvals, ...times];
