// Rounds: a failed execution is retried in the same journal.

import { durationMs } from "../../src/model/units.ts";
import { scenario, type Scenario } from "./scenario.ts";

export const rounds: readonly Scenario[] = [
  scenario(
    "STATE-2 a retry opens a new round for the steps that neither succeeded nor were skipped by their condition (ruling 21)",
    `
    given  ok; no when "input.go"; off disabled; bad after ok; behind after bad; stopped; end after bad settled
    when   start {"go":false}     then  no, off skipped
    when   ran ok ok 1
    when   granted stopped
    when   ran bad fail permanent then  stopped cancelling | behind skipped | end queued
    when   ended stopped fail cancelled
    when   ran end ok             then  execution failed | round 1
    when   retry                  then  execution running | round 2 | events execution.reopened
                                  then  ok, end succeeded | no, off skipped | bad, stopped queued | behind waiting
                                  then  bad attempt 0 | bad epoch 1 | behind unmet 1
    when   ran stopped ok
    when   ran bad ok             then  bad epoch 2 | behind queued
    when   ran behind ok          then  execution completed
    `,
  ),
  scenario(
    "STATE-2 a second retry opens a third round",
    `
    given  a retry 1
    when   start
    when   ran a fail transient   then  execution failed
    when   retry                  then  a queued | round 2
    when   ran a fail transient   then  execution failed | a attempt 1 | a epoch 2
    when   retry                  then  a queued | round 3
    when   retry                  then  answer ignored not-failed running
    when   ran a ok               then  execution completed | a epoch 3
    when   retry                  then  answer ignored ended completed
    `,
  ),
  scenario(
    "STATE-2 a cancelled execution never reopens",
    `
    given  a
    when   start
    when   cancel abort           then  execution cancelled
    when   retry                  then  answer ignored ended cancelled | a cancelled
    `,
  ),
  scenario(
    "STATE-2 STATE-8 a failed step whose fallback succeeded does not run again",
    `
    given  a fallback f; f; b after a; x
    when   start
    when   ran a fail permanent
    when   ran f ok "f"           then  b queued
    when   ran x fail permanent   then  b skipped | execution failed
    when   retry                  then  a failed | f succeeded | b, x queued
    when   ran b ok
    when   ran x ok               then  execution completed
    `,
  ),
  scenario(
    "STATE-2 STATE-8 a primary and its fallback that both failed begin again",
    `
    given  a fallback f; f; b after a
    when   start
    when   ran a fail permanent
    when   ran f fail permanent   then  execution failed
    when   retry                  then  a queued | f, b waiting | f unmet 1 | b unmet 1
    when   ran a fail permanent   then  f queued
    when   ran f ok               then  b queued
    when   ran b ok               then  execution completed
    `,
  ),
  scenario(
    "STATE-2 STATE-8 an unused fallback of a step that succeeded stays unused",
    `
    given  f; a fallback f; g; b after a fallback g; h; c after a fallback h
    when   start
    when   ran a ok               then  f skipped
    when   ran c ok               then  h skipped
    when   ran b fail permanent   then  g queued
    when   ran g fail permanent   then  execution failed
    when   retry                  then  f, h skipped | f because fallback-unused a | b queued | g waiting
    when   ran b ok               then  g skipped | g because fallback-unused b | execution completed
    `,
  ),
  scenario(
    "STATE-2 STATE-8 a chain of fallbacks that succeeded does not run again",
    `
    given  a fallback f; f fallback g; g; x after a
    when   start
    when   ran a fail permanent
    when   ran f fail permanent
    when   ran g ok
    when   ran x fail permanent   then  execution failed
    when   retry                  then  a, f failed | g succeeded | x queued
    when   ran x ok               then  execution completed
    `,
  ),
  scenario(
    "STATE-2 STATE-9 a failed scope opens again, and only its failed children run",
    `
    given  m map "input" "x"; n after m
    when   start [1,2,3]
    when   ran m/0 ok "zero"
    when   granted m/2
    when   ran m/1 fail permanent then  m/2 cancelling | m open
    when   ended m/2 fail cancelled then  m failed | m because SCOPE_FAILED | n skipped | execution failed
    when   retry                  then  m open | m/0 succeeded | m/1, m/2 queued | n waiting
    when   ran m/1 ok "one"
    when   ran m/2 ok "two"       then  m succeeded | m output ["zero","one","two"] | n queued
    when   ran n ok               then  execution completed
    `,
  ),
  scenario(
    "STATE-2 STATE-9 a scope that was stopped opens again",
    `
    given  m map "input" "x"; b
    when   start [1,2]
    when   ran m/0 ok 1
    when   ran b fail permanent   then  m cancelled | m/0 succeeded | m/1 skipped | execution failed
    when   retry                  then  m open | m/0 succeeded | m/1, b queued
    when   ran m/1 ok 2
    when   ran b ok               then  m output [1,2] | execution completed
    `,
  ),
  scenario(
    "STATE-2 STATE-9 nested scopes open again from the outside in",
    `
    given  w workflow outer
    when   start
    when   resolved w outer       then  w open | w/m queued
    when   resolved w/m inner     then  w/m open | w/m/p, w/m/q queued
    when   ran w/m/p ok 1
    when   ran w/m/q fail permanent then  w/m, w failed | execution failed
    when   retry                  then  w, w/m open | w/m/p succeeded | w/m/q queued
    when   ran w/m/q ok 2         then  w/m, w succeeded | execution completed
    `,
    {
      library: {
        outer: { name: "outer", steps: [{ id: "m" as never, action: { kind: "workflow", workflow: "inner" } }] },
        inner: {
          name: "inner",
          steps: [
            { id: "p" as never, action: { kind: "agent", agent: "work" } },
            { id: "q" as never, action: { kind: "agent", agent: "work" } },
          ],
        },
      },
    },
  ),
  scenario(
    "STATE-2 FAIL-8 undone steps run again, and steps that could not be undone do not",
    `
    given  a compensate; b after a compensate; c after b
    when   start
    when   ran a ok 1
    when   ran b ok 1
    when   ran c fail permanent
    when   ran b/compensate ok
    when   ran a/compensate fail permanent then  execution failed
    when   retry                  then  a succeeded | b queued | c waiting | b/compensate succeeded
    when   ran b ok 2
    when   ran c fail permanent   then  b/compensate queued | a/compensate waiting
    when   ran b/compensate ok
    when   ran a/compensate ok    then  execution failed
    when   retry                  then  a queued | b, c waiting
    when   ran a ok
    when   ran b ok
    when   ran c ok               then  execution completed
    `,
    { workflow: { onFailure: "compensate" } },
  ),
  scenario(
    "STATE-2 FAIL-8 STATE-9 a scope whose child was undone opens again",
    `
    given  w workflow child; b after w
    when   start
    when   resolved w child
    when   ran w/p ok 1
    when   ran w/q ok 1           then  w succeeded
    when   ran b fail permanent   then  w/p/compensate queued
    when   ran w/p/compensate ok  then  execution failed
    when   retry                  then  w open | w/p queued | w/q succeeded | b waiting
    when   ran w/p ok 2           then  w succeeded | b queued
    when   ran b ok               then  execution completed
    `,
    {
      workflow: { onFailure: "compensate" },
      library: {
        child: {
          name: "child",
          steps: [
            {
              id: "p" as never,
              action: { kind: "agent", agent: "work" },
              compensate: { action: { kind: "agent", agent: "undo" } },
            },
            { id: "q" as never, action: { kind: "agent", agent: "work" } },
          ],
        },
      },
    },
  ),
  scenario(
    "STATE-2 FAIL-8 STATE-8 a fallback that was undone makes its primary begin again",
    `
    given  f compensate; a fallback f; b after a
    when   start
    when   ran a fail permanent
    when   ran f ok
    when   ran b fail permanent   then  f/compensate queued
    when   ran f/compensate ok    then  execution failed
    when   retry                  then  a queued | f, b waiting
    when   ran a ok               then  f skipped | b queued
    when   ran b ok               then  execution completed
    `,
    { workflow: { onFailure: "compensate" } },
  ),
  scenario(
    "STATE-2 FAIL-8 STATE-8 a fallback that was undone makes its primary begin again, wherever it is declared",
    `
    given  a fallback f; f compensate; b after a
    when   start
    when   ran a fail permanent
    when   ran f ok
    when   ran b fail permanent
    when   ran f/compensate ok    then  execution failed
    when   retry                  then  a queued | f, b waiting
    when   ran a fail permanent   then  f queued
    when   ran f ok               then  b queued
    when   ran b ok               then  execution completed
    `,
    { workflow: { onFailure: "compensate" } },
  ),
  scenario(
    "STATE-2 FAIL-8 STATE-9 a scope that was undone as a whole opens again, and its old children keep their status",
    `
    given  m map "input" "x" compensate; b after m
    when   start [1,2]
    when   ran m/0 fail permanent
    when   ran m/1 ok 1           then  m succeeded
    when   ran b fail permanent
    when   ran m/compensate ok    then  execution failed
    when   retry                  then  m open | m/0, m/1 queued
    when   ran m/0 fail permanent
    when   ran m/1 fail permanent then  m failed | execution failed
    when   retry                  then  m open | m/0, m/1 queued | effects admit m/0, admit m/1
    when   ran m/0 ok 1
    when   ran m/1 ok 2           then  m output [1,2] | b queued
    when   ran b ok               then  execution completed
    `,
    {
      workflow: { onFailure: "compensate" },
      steps: {
        m: {
          action: {
            kind: "map",
            over: "input",
            tolerance: 1,
            steps: [{ id: "x" as never, action: { kind: "agent", agent: "work" } }],
          },
        },
      },
    },
  ),
  scenario(
    "STATE-2 FAIL-4 a new round has the workflow's time again",
    `
    given  a
    when   start
    when   granted a
    when   later 600              then  a cancelled | execution failed | execution because EXECUTION_TIMEOUT
    when   later 9000
    when   retry                  then  a queued | armed execution-deadline +500
    when   granted a
    when   later 500              then  a cancelling | execution failing
    when   later 100              then  execution failed
    `,
    { workflow: { timeout: durationMs(500), grace: durationMs(100) } },
  ),
  scenario(
    "STATE-2 a wait that expired waits again in a new round, with the time it had",
    `
    given  a
    when   start                  then  armed wait a +100
    when   later 100              then  a failed | a because SIGNAL_TIMEOUT | execution failed
    when   retry                  then  a suspended | armed wait a +100
    when   signal go s1 5         then  a output 5 | execution completed
    `,
    { steps: { a: { action: { kind: "wait", on: "signal", signal: "go", timeout: durationMs(100) } } } },
  ),
  scenario(
    "STATE-2 a retry of finish runs again only the failed steps and their dependants",
    `
    given  a; b; c after a; d after b
    when   start
    when   ran a fail permanent
    when   ran b ok
    when   ran d ok               then  execution failed
    when   retry                  then  b, d succeeded | a queued | c waiting
    `,
    { workflow: { onFailure: "finish" } },
  ),
];
