// Steps that do not run, and the consequences for the others.

import { scenario, type Scenario } from "./scenario.ts";

export const skipping: readonly Scenario[] = [
  scenario(
    "STATE-4 (000) a false condition skips the step before it requests a slot",
    `
    given  a when "input.go"; b after a
    when   start {"go":false}     then  a skipped | a because condition | b queued | effects admit b
    when   granted b              then  b called {"input":{"was":null,"status":"skipped"}}
    when   ended b ok             then  execution completed
    `,
    { steps: { b: { input: { was: "${ steps.a.output }", status: "${ steps.a.status }" } } } },
  ),
  scenario(
    "STATE-4 (000) a condition that is true lets the step run",
    `
    given  a when "input.go"
    when   start {"go":true}      then  a queued
    `,
  ),
  scenario(
    "STATE-4 a condition that cannot be computed fails its step (ruling 42)",
    `
    given  a when "length(input.n) > \`1\`"
    when   start {"n":5}          then  a failed | a because EXPRESSION_TYPE | execution failed
    `,
  ),
  scenario(
    "DATA-5 a strict workflow fails a step whose condition reads a missing value, instead of skipping it",
    `
    given  a when "input.chanel == 'next'"; b when "input.chanel"; c when "!(input.chanel)"; d when "input.list[0] == 'x'"
    when   start {"list":[]}      then  a, b, c, d failed | a because TEMPLATE_MISSING | d because TEMPLATE_MISSING
    `,
    { workflow: { strict: true, onFailure: "finish" } },
  ),
  scenario(
    "DATA-5 a strict condition may give a default for a missing value, and does not read branches that it does not evaluate",
    `
    given  a when "(input.x || 'none') == 'next'"; b when "input.x != \`null\`"; c when "not_null(input.x, 'y') == 'y'"
    given  d when "input.go && input.x"; e when "input.list[?size > \`1\`]"; f when "type(input.x) == 'null'"
    when   start {"go":false,"list":[{}]}  then  a, b, d, e skipped | c, f queued
    `,
    { workflow: { strict: true } },
  ),
  scenario(
    "DATA-5 a null that was given is a value, also where the workflow is strict",
    `
    given  a when "input.go"
    when   start {"go":null}      then  a skipped | a because condition
    `,
    { workflow: { strict: true } },
  ),
  scenario(
    "STATE-4 an attempt may settle as skipped, and its dependants run (STATE-5)",
    `
    given  a; b after a
    when   start
    when   ran a skip "no news"   then  a skipped | a because skipped-by-handler | a says no news | b queued
    when   granted b              then  b called {"input":null}
    `,
    { steps: { b: { input: "${ previous }" } } },
  ),
  scenario(
    "STATE-5 a disabled step satisfies its dependants, which see null",
    `
    given  a disabled; b after a; c disabled after b
    when   start                  then  a, c skipped | b queued
    when   granted b              then  b called {"input":null}
    when   ended b ok             then  execution completed
    `,
    { steps: { b: { input: "${ steps.a.output }" } } },
  ),
  scenario(
    "STATE-5 a workflow whose steps are all disabled completes at once",
    `
    given  a disabled; b disabled after a
    when   start                  then  a, b skipped | execution completed
    `,
  ),
  scenario(
    "STATE-5 failure reaches everything behind it as one skip that names the step to blame (ruling 19)",
    `
    given  a continue; b after a; c after b; d after b, e; e
    when   start
    when   ran a fail permanent   then  a failed | b, c, d skipped | b, c, d because dependency-failed a | e queued
                                  then  events step.started, step.failed, steps.skipped
    when   ran e ok               then  execution completed
    `,
  ),
  scenario(
    "STATE-5 a skip that does not count as success skips dependants, a skip by a condition does not (ruling 20)",
    `
    given  a continue; b after a; c after b; x when "input.go"; y after x
    when   start {"go":false}     then  x skipped | y queued
    when   ran a fail permanent   then  b, c skipped | c because dependency-failed a
    when   ran y ok               then  execution completed
    `,
  ),
  scenario(
    "STATE-6 success, failure, skip and cancellation all satisfy a settled edge",
    `
    given  ok; bad continue; lost after bad; off when "input.go"; end after ok settled, bad settled, lost settled, off settled
    when   start {"go":false}     then  end waiting | end unmet 3
    when   ran ok ok              then  end unmet 2
    when   ran bad fail permanent then  lost skipped | end queued | end unmet 0
    when   ran end ok             then  execution completed
    `,
  ),
  scenario(
    "STATE-6 a settled edge does not replace a dependency that has to succeed",
    `
    given  a continue; b; c after a, b settled
    when   start
    when   ran a fail permanent   then  c skipped | c because dependency-failed a
    `,
  ),
];
