// A new round for the failures that a completed execution tolerated.

import type { ActionDefinition } from "../../src/model/definition.ts";
import { scenario, type Scenario } from "./scenario.ts";
import { parseTable } from "./table.ts";

const map = (
  fields: Partial<ActionDefinition & { kind: "map" }>,
  given = "x",
): { readonly action: ActionDefinition } => ({
  action: { kind: "map", over: "input", steps: parseTable(`given ${given}`).steps, ...fields },
});

export const tolerated: readonly Scenario[] = [
  scenario(
    "STATE-2 the failed items of a map run again, and the steps that depend on the map start over",
    `
    given  first; m map "input" "x" after first; report after m; other after first; end after report
    when   start [1,2,3]
    when   ran first ok
    when   ran other ok
    when   ran m/0 fail permanent
    when   ran m/1 ok 5
    when   ran m/2 ok 6           then  m succeeded | m output [null,5,6]
    when   ran report ok "old"
    when   ran end ok             then  execution completed | round 1
    when   retry tolerated        then  execution running | round 2 | events execution.reopened
                                  then  first, other, m/1, m/2 succeeded | m open | m/0 queued | report, end waiting
                                  then  report unmet 1 | m/0 attempt 0
    when   ran m/0 ok 4           then  m succeeded | m output [4,5,6] | report queued
    when   ran report ok "new"
    when   ran end ok             then  execution completed
    when   retry tolerated        then  answer ignored nothing-tolerated completed
    `,
    { steps: { m: map({ tolerance: 1 }) } },
  ),
  scenario(
    "STATE-2 items that fail again are tolerated again, and can be tried once more",
    `
    given  m map "input" "x"
    when   start [1,2]
    when   ran m/0 fail permanent
    when   ran m/1 ok 5           then  execution completed
    when   retry tolerated        then  m/0 queued
    when   ran m/0 fail permanent then  m output [null,5] | execution completed | round 2
    when   retry tolerated        then  m/0 queued | round 3
    when   ran m/0 ok 4           then  m output [4,5] | execution completed
    `,
    { steps: { m: map({ tolerance: 1 }) } },
  ),
  scenario(
    "STATE-2 a step with `onError: continue` runs again, with the dependants that were skipped because of it",
    `
    given  a continue; b after a; c; d after c; e after b settled
    when   start
    when   ran a fail permanent   then  b skipped | e queued
    when   ran e ok
    when   ran c ok
    when   ran d ok               then  execution completed
    when   retry tolerated        then  c, d succeeded | a queued | b, e waiting
    when   ran a ok
    when   ran b ok               then  e queued
    when   ran e ok               then  execution completed
    `,
  ),
  scenario(
    "STATE-2 STATE-9 only the steps of an item that did not succeed run again, within the limit of the map",
    `
    given  m map "input" "x"
    when   start [1,2,3]
    when   ran m/0/x ok
    when   ran m/0/y fail permanent
    when   ran m/1/x fail permanent
    when   ran m/2/x ok
    when   ran m/2/y ok           then  execution completed
    when   retry tolerated        then  m/0/x, m/2/x, m/2/y succeeded | m/0/y queued | m/1/x, m/1/y waiting
    when   ran m/0/y ok 1         then  m/1/x queued
    when   ran m/1/x ok
    when   ran m/1/y ok 2         then  m succeeded | execution completed
    `,
    { steps: { m: map({ tolerance: 2, concurrency: 1 }, "x; y after x") } },
  ),
  scenario(
    "STATE-2 STATE-8 a dependant with a fallback starts over together with its fallback",
    `
    given  m map "input" "x"; a after m fallback f; f; b after a
    when   start [1,2]
    when   ran m/0 fail permanent
    when   ran m/1 ok
    when   ran a fail permanent
    when   ran f ok
    when   ran b ok               then  execution completed
    when   retry tolerated        then  m/0 queued | a, f, b waiting | f unmet 1
    when   ran m/0 ok             then  a queued
    when   ran a ok               then  f skipped | b queued
    when   ran b ok               then  execution completed
    `,
    { steps: { m: map({ tolerance: 1 }) } },
  ),
  scenario(
    "STATE-2 a map that depends on tolerated failures starts over with new items",
    `
    given  m map "input" "x"; n map "input" "y" after m
    when   start [1,2]
    when   ran m/0 fail permanent
    when   ran m/1 ok
    when   ran n/0 fail permanent
    when   ran n/1 ok             then  execution completed
    when   retry tolerated        then  m open | m/0 queued | n waiting
    when   ran m/0 ok             then  n open
    when   ran n/0 ok 1
    when   ran n/1 ok 2           then  n output [1,2] | execution completed
    when   retry tolerated        then  answer ignored nothing-tolerated completed
    `,
    { steps: { m: map({ tolerance: 1 }), n: map({ tolerance: 1 }) } },
  ),
  scenario(
    "STATE-2 a map that started over and was skipped then has no tolerated failures",
    `
    given  a continue; m map "input" "x" after a settled when "!(steps.a.output)"
    when   start [1,2]
    when   ran a fail permanent   then  m open
    when   ran m/0/x fail permanent
    when   ran m/0/y ok
    when   ran m/1/x ok
    when   ran m/1/y ok           then  execution completed
    when   retry tolerated        then  a queued | m waiting
    when   ran a ok 1             then  m skipped | execution completed
    when   retry tolerated        then  answer ignored nothing-tolerated completed
    `,
    { steps: { m: map({}, "x continue; y after x settled") } },
  ),
  scenario(
    "STATE-2 STATE-9 a map that started over and failed before it opened has new items in the next round",
    `
    given  a continue; m map "steps.a.output || input" "x" after a settled
    when   start [1,2]
    when   ran a fail permanent   then  m open
    when   ran m/0 ok 4
    when   ran m/1 ok 5           then  execution completed
    when   retry tolerated        then  a queued | m waiting
    when   ran a ok 1             then  m failed | execution failed
    when   retry                  then  m failed | execution failed | round 3
    `,
    { steps: { m: map({ over: "steps.a.output || input", tolerance: 1 }) } },
  ),
  scenario(
    "STATE-2 tolerated failures are tried again only after the execution completed",
    `
    given  a continue; b
    when   start
    when   ran a fail permanent
    when   retry tolerated        then  answer ignored not-completed running
    when   ran b fail permanent   then  execution failed
    when   retry tolerated        then  answer ignored not-completed failed
    `,
  ),
];
