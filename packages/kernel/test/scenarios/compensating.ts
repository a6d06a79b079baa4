// Compensation: undoes succeeded steps.

import { durationMs } from "../../src/model/units.ts";
import { scenario, type Scenario } from "./scenario.ts";

export const compensating: readonly Scenario[] = [
  scenario(
    "FAIL-8 a failed execution undoes its succeeded steps, newest first, one after the other",
    `
    given  a compensate; b compensate; c after a, b compensate; x; d after c
    when   start
    when   ran b ok "B"
    when   ran x ok
    when   ran a ok "A"
    when   ran c ok "C"
    when   ran d fail permanent   then  execution failing | c/compensate queued | a/compensate, b/compensate waiting
                                  then  events step.started, step.failed, execution.failing, execution.compensating
    when   granted c/compensate   then  c/compensate called {"input":"C"}
    when   ended c/compensate ok  then  a/compensate queued | b/compensate waiting
    when   ran a/compensate ok    then  b/compensate queued
    when   ran b/compensate ok    then  execution failed | a, b, c succeeded | left
    `,
    {
      workflow: { onFailure: "compensate" },
      steps: { c: { compensate: { action: { kind: "agent", agent: "undo" }, input: "${ steps.c.output }" } } },
    },
  ),
  scenario(
    "FAIL-8 compensation begins when the last attempt and clean-up have ended",
    `
    given  a compensate; b after a; c; tidy after b settled
    when   start
    when   ran a ok
    when   granted c
    when   ran b fail permanent   then  c cancelling | tidy queued | execution failing
    when   ran tidy ok            then  execution failing
    when   ended c ok             then  c succeeded | a/compensate queued | events step.completed, execution.compensating
    when   ran a/compensate ok    then  execution failed
    `,
    { workflow: { onFailure: "compensate" } },
  ),
  scenario(
    "FAIL-8 each compensation has its own retry and timeout",
    `
    given  a; b after a
    when   start
    when   ran a ok
    when   ran b fail permanent   then  a/compensate queued
    when   granted a/compensate   then  armed attempt-deadline a/compensate +50
    when   later 50               then  a/compensate cancelling
    when   ended a/compensate ok  then  a/compensate retrying | a/compensate because ATTEMPT_TIMEOUT
                                  then  armed backoff a/compensate +10
    when   later 10               then  a/compensate queued
    when   ran a/compensate ok    then  execution failed
    `,
    {
      workflow: { onFailure: "compensate" },
      steps: {
        a: {
          compensate: {
            action: { kind: "agent", agent: "undo" },
            timeout: durationMs(50),
            retry: { attempts: 2, base: durationMs(10), on: ["timeout"] },
          },
        },
      },
    },
  ),
  scenario(
    "FAIL-8 a step that cannot be undone is reported, and the others are undone",
    `
    given  a compensate; b after a compensate; c after b
    when   start
    when   ran a ok
    when   ran b ok
    when   ran c fail permanent   then  b/compensate queued
    when   ran b/compensate fail permanent then  b/compensate failed | a/compensate queued | execution failing
    when   ran a/compensate ok    then  execution failed | left b
    `,
    { workflow: { onFailure: "compensate" } },
  ),
  scenario(
    "FAIL-8 a failed, skipped or cancelled step has nothing to undo",
    `
    given  a compensate continue; b compensate when "input"; c compensate; d
    when   start
    when   granted c
    when   ran a fail permanent
    when   ran d fail permanent   then  c cancelling
    when   ended c fail cancelled then  execution failed
    `,
    { workflow: { onFailure: "compensate" } },
  ),
  scenario(
    "FAIL-8 without compensate a failed execution undoes nothing",
    `
    given  a compensate; b after a
    when   start
    when   ran a ok
    when   ran b fail permanent   then  execution failed
    `,
  ),
  scenario(
    "FAIL-8 a cancellation may request the compensation",
    `
    given  a compensate; b after a
    when   start
    when   ran a ok
    when   granted b
    when   cancel abort compensate then  b cancelling | execution cancelling
    when   ended b ok             then  a/compensate queued | events step.completed, execution.compensating
    when   ran a/compensate fail transient then  a/compensate retrying
    when   later 1000
    when   ran a/compensate fail permanent then  execution cancelled | left a
    `,
  ),
  scenario(
    "FAIL-8 cancelling an execution whose steps have all ended still undoes them",
    `
    given  a compensate
    when   start
    when   ran a ok sha256:big    then  needs sha256:big | a succeeded | execution running
    when   cancel abort compensate then  a/compensate queued | execution cancelling
    when   ran a/compensate ok    then  execution cancelled
    `,
    { workflow: { output: "${ steps.a.output }" }, values: { "sha256:big": 1 } },
  ),
  scenario(
    "FAIL-8 a compensation is never stopped: a cancellation lets it end, and then the execution is cancelled",
    `
    given  a compensate; b after a compensate; c after b
    when   start
    when   ran a ok
    when   ran b ok
    when   ran c fail permanent
    when   granted b/compensate
    when   cancel abort           then  b/compensate running | a/compensate waiting | execution cancelling
    when   ended b/compensate ok  then  a/compensate queued
    when   ran a/compensate ok    then  execution cancelled
    `,
    { workflow: { onFailure: "compensate" } },
  ),
  scenario(
    "FAIL-8 CANCEL-7 a paused compensation continues when the execution is cancelled",
    `
    given  a compensate; b after a compensate; c after b
    when   start
    when   ran a ok
    when   ran b ok
    when   ran c fail permanent
    when   ran b/compensate fail transient then  b/compensate retrying
    when   pause
    when   later 1000             then  b/compensate retrying
    when   cancel abort           then  execution cancelling | armed backoff b/compensate +0
    when   later 0                then  b/compensate queued
    when   ran b/compensate ok    then  a/compensate queued
    when   ran a/compensate ok    then  execution cancelled
    `,
    { workflow: { onFailure: "compensate" } },
  ),
  scenario(
    "FAIL-8 CANCEL-7 a compensation that was paused before its first step continues when the execution is cancelled",
    `
    given  a compensate; b after a
    when   start
    when   ran a ok
    when   ran b fail permanent   then  a/compensate queued
    when   pause                  then  a/compensate ready
    when   cancel abort           then  a/compensate queued
    when   ran a/compensate ok    then  execution cancelled
    `,
    { workflow: { onFailure: "compensate" } },
  ),
  scenario(
    "FAIL-8 CANCEL-7 a pause stops a compensation and a resume continues it",
    `
    given  a compensate; b after a
    when   start
    when   ran a ok
    when   ran b fail permanent   then  a/compensate queued
    when   pause                  then  a/compensate ready | execution failing
    when   resume                 then  a/compensate queued
    when   ran a/compensate ok    then  execution failed
    `,
    { workflow: { onFailure: "compensate" } },
  ),
  scenario(
    "FAIL-8 STATE-1 a parked execution begins its compensation, and continues it when it is resumed",
    `
    given  a compensate; b after a; c
    when   start
    when   ran a ok
    when   granted c
    when   ran b fail permanent   then  c cancelling
    when   park "no agent"        then  execution parked
    when   ended c ok             then  a/compensate ready | execution parked
    when   resume                 then  a/compensate queued | execution failing
    when   ran a/compensate ok    then  execution failed
    `,
    { workflow: { onFailure: "compensate" } },
  ),
  scenario(
    "FAIL-9 FAIL-8 a compensation that is lost five times parks the execution that is being cancelled",
    `
    given  a compensate; b after a
    when   start
    when   ran a ok
    when   cancel abort compensate then  a/compensate queued | execution cancelling
    when   granted a/compensate
    when   lost a/compensate
    when   granted a/compensate
    when   lost a/compensate
    when   granted a/compensate
    when   lost a/compensate
    when   granted a/compensate
    when   lost a/compensate
    when   granted a/compensate
    when   lost a/compensate      then  a/compensate ready | execution parked
    when   cancel abort           then  answer ignored already-cancelling parked
    when   resume                 then  a/compensate queued | execution cancelling
    when   ran a/compensate ok    then  execution cancelled
    `,
  ),
  scenario(
    "FAIL-9 FAIL-8 an execution that is being cancelled is parked when no runner can undo",
    `
    given  a compensate; b after a compensate
    when   start
    when   ran a ok
    when   ran b ok sha256:big
    when   cancel abort compensate
    when   granted b/compensate
    when   park "no agent called undo" then  execution parked | b/compensate running
    when   ended b/compensate ok  then  a/compensate ready | execution parked
    when   resume                 then  a/compensate queued | execution cancelling
    when   granted a/compensate
    when   park "no agent called undo"
    when   ended a/compensate ok  then  execution cancelled
    `,
    { workflow: { output: "${ steps.b.output }" }, values: { "sha256:big": 1 } },
  ),
  scenario(
    "FAIL-8 children of scopes are undone with their own values",
    `
    given  m map "input" "x"; b after m
    when   start ["p","q"]
    when   ran m/0 ok 1
    when   ran m/1 ok 2
    when   ran b fail permanent   then  m/1/compensate queued | m/0/compensate waiting
    when   granted m/1/compensate then  m/1/compensate called {"input":{"item":"q","output":2}}
    when   ended m/1/compensate ok
    when   ran m/0/compensate ok  then  execution failed
    `,
    {
      workflow: { onFailure: "compensate" },
      steps: {
        m: {
          action: {
            kind: "map",
            over: "input",
            steps: [
              {
                id: "x" as never,
                action: { kind: "agent", agent: "work" },
                compensate: {
                  action: { kind: "agent", agent: "undo" },
                  input: { item: "${ item }", output: "${ steps.x.output }" },
                },
              },
            ],
          },
        },
      },
    },
  ),
  scenario(
    "FAIL-8 a compensation is not undone in a later round",
    `
    given  a compensate; b after a
    when   start
    when   ran a ok
    when   ran b fail permanent
    when   ran a/compensate expand one then  a/compensate open | a/compensate/x queued
    when   ran a/compensate/x ok  then  a/compensate succeeded | execution failed
    when   retry                  then  a queued
    when   ran a ok
    when   ran b fail permanent   then  a/compensate queued
    when   ran a/compensate ok    then  execution failed
    `,
    {
      workflow: { onFailure: "compensate" },
      expansions: {
        one: {
          kind: "expanded",
          steps: [
            {
              id: "x" as never,
              action: { kind: "agent", agent: "work" },
              compensate: { action: { kind: "agent", agent: "undo" } },
            },
          ],
        },
      },
    },
  ),
  scenario(
    "FAIL-8 STATE-9 a compensation may have several steps, and a cancellation does not stop them",
    `
    given  a compensate; b after a
    when   start
    when   ran a ok
    when   ran b fail permanent
    when   ran a/compensate expand two then  a/compensate open | a/compensate/x queued
    when   cancel abort           then  a/compensate open | a/compensate/x queued | execution cancelling
    when   ran a/compensate/x ok  then  a/compensate/y queued
    when   ran a/compensate/y ok  then  a/compensate succeeded | execution cancelled
    `,
    {
      workflow: { onFailure: "compensate" },
      expansions: {
        two: {
          kind: "expanded",
          steps: [
            { id: "x" as never, action: { kind: "agent", agent: "work" } },
            {
              id: "y" as never,
              action: { kind: "agent", agent: "work" },
              dependsOn: [{ step: "x" as never, on: "succeeded" }],
            },
          ],
        },
      },
    },
  ),
];
