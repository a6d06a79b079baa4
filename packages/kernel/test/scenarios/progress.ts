// How steps move if nothing fails, and how the end of one reaches the others.

import { scenario, type Scenario } from "./scenario.ts";

const UNDO_X = { action: { kind: "agent", agent: "undo" }, input: "${ variables.x }" } as const;

export const progress: readonly Scenario[] = [
  scenario(
    "STATE-2 (002 scenario 1) a step goes from waiting over ready and queued to running and succeeded",
    `
    given  a; s after a
    when   create          then  execution pending | a, s waiting | events execution.created
    when   begin           then  execution running | a queued | s waiting | s unmet 1
                           then  events execution.validating, execution.started | effects admit a
    when   granted a       then  a running | s waiting | events step.started | effects run a
    when   ended a ok "x"  then  a succeeded | s queued | s unmet 0
                           then  events step.completed | effects release a, admit s
    when   granted s       then  s running
    when   ended s ok "y"  then  s succeeded | s output "y" | execution completed
                           then  events step.completed, execution.completed
    `,
  ),
  scenario(
    "STATE-2 (002 scenario 2) a step that fails is failed, its failure is recorded and the execution decides",
    `
    given  a; b after a
    when   start                        then  a queued
    when   granted a                    then  a running
    when   ended a fail permanent "no"  then  a failed | a because E | a says no | b skipped
                                        then  execution failed | execution because E
                                        then  events step.failed, steps.skipped, execution.failing, execution.failed
    `,
  ),
  scenario(
    "STATE-3 (002 scenario 4) a step becomes ready when its last dependency ends, in whatever order they end",
    `
    given  a; b; c after a, b
    when   start                  then  a, b queued | c waiting | c unmet 2
    when   granted a
    when   granted b              then  a, b running
    when   ended b ok             then  c waiting | c unmet 1
    when   ended a ok             then  c queued | c unmet 0
    `,
  ),
  scenario(
    "STATE-3 (002 scenario 5) the end of a step reaches each dependant once",
    `
    given  a; x; b after a; c after a, x
    when   start                  then  b unmet 1 | c unmet 2
    when   ran a ok               then  b queued | b unmet 0 | c waiting | c unmet 1
                                  then  effects run a, release a, admit b
    `,
  ),
  scenario(
    "STATE-3 (002 scenario 6) a join waits for all of three",
    `
    given  a; b; c; d after a, b, c
    when   start                  then  a, b, c queued | d waiting | d unmet 3
    when   granted a              then  a running | b, c queued | d unmet 3
    when   granted b
    when   granted c
    when   ended a ok             then  d waiting | d unmet 2
    when   ended b ok             then  d waiting | d unmet 1
    when   ended c ok             then  d queued | d unmet 0
    when   granted d              then  d running
    when   ended d ok             then  a, b, c, d succeeded | execution completed
    `,
  ),
  scenario(
    "STATE-3 (002 scenario 7) a fork makes all of its dependants ready at once",
    `
    given  a; b after a; c after a; d after a
    when   start                  then  a queued | b, c, d waiting
    when   ran a ok               then  b, c, d queued | effects run a, release a, admit b, admit c, admit d
    when   granted b
    when   granted c
    when   granted d              then  b, c, d running
    `,
  ),
  scenario(
    "STATE-2 (002 table) a dependency that is not the last leaves its dependant waiting",
    `
    given  a; b; c after a, b
    when   start
    when   ran a ok               then  c waiting | c unmet 1 | effects run a, release a
    `,
  ),
  scenario(
    "STATE-1 a workflow without steps completes at once",
    `
    when   start                  then  execution completed
                                  then  events execution.created, execution.validating, execution.started, execution.completed
    `,
  ),
  scenario(
    "STATE-1 (000) an input that does not fit its schema fails the validation, and no step starts",
    `
    given  a
    when   start "text"           then  execution failed | execution because INPUT_INVALID | a waiting
                                  then  events execution.created, execution.validating, execution.failed
    when   retry                  then  answer ignored not-started failed
    `,
    { workflow: { input: { type: "object" } } },
  ),
  scenario(
    "STATE-1 a second create, a second begin and a start without an execution get a reply and have no effect",
    `
    given  a
    when   begin                  then  answer ignored not-pending none
    when   cancel abort           then  answer ignored not-started none
    when   signal go s1           then  answer ignored not-started none
    when   pause                  then  answer ignored not-started none
    when   start                  then  answer accepted
    when   create                 then  answer ignored already-created running | events
    when   begin                  then  answer ignored not-pending running | events
    `,
  ),
  scenario(
    "STATE-4 (000) slot and resources are released on every way out",
    `
    given  a; b retry 2; c; d timeout 500 retry 1 continue
    when   start
    when   granted a
    when   granted b
    when   granted c
    when   granted d
    when   ended a ok             then  effects release a
    when   ended b fail transient then  b retrying | effects release b, arm backoff b +1000
    when   ended c skip "no news" then  effects release c
    when   later 500              then  d cancelling | effects abort d, arm grace-end d +5000
    when   ended d fail cancelled then  d failed | effects release d, disarm grace-end d
    `,
  ),
  scenario(
    "STATE-4 (000) a grant without a request releases the slot",
    `
    given  a; b after a
    when   start
    when   granted b              then  b waiting | effects release b | answer ignored not-asked running
    when   granted a
    when   granted a              then  a running | effects release a | answer ignored not-asked running
    `,
  ),
  scenario(
    "STATE-4 (000) an input that does not fit fails the step before it takes a slot",
    `
    given  a
    when   start 5                then  a failed | a because INPUT_INVALID | execution failed | effects
    `,
    { steps: { a: { input: "${ input }", inputSchema: { type: "string" } } } },
  ),
  scenario(
    "STATE-4 (000) output is captured, checked and handed on",
    `
    given  a; b after a
    when   start
    when   ran a ok {"n":3}       then  a succeeded | a output 3 | b queued
    when   granted b              then  b called {"input":{"seen":3,"variable":3}}
    `,
    {
      steps: {
        a: { output: { select: "n", to: "variables.count", schema: { type: "number" } } },
        b: { input: { seen: "${ steps.a.output }", variable: "${ variables.count }" } },
      },
    },
  ),
  scenario(
    "STATE-1 the output of a workflow is made when its last step has ended",
    `
    given  a; b after a
    when   start
    when   ran a ok 1
    when   ran b ok 2             then  execution completed | execution output {"a":1,"b":2}
    `,
    { workflow: { output: { a: "${ steps.a.output }", b: "${ steps.b.output }" } } },
  ),
  scenario(
    "STATE-1 an output that cannot be made fails the execution, and a retry tries just that again",
    `
    given  a
    when   start
    when   ran a ok 1             then  a succeeded | execution failed | execution because TEMPLATE_MISSING
                                  then  events step.started, step.completed, execution.failed
    when   retry                  then  execution failed | a succeeded | events execution.reopened, execution.failed
    `,
    { workflow: { strict: true, output: "${ steps.a.output.nothing }" } },
  ),
  scenario(
    "FAIL-5 the journal says where an attempt ran, with its number and its epoch",
    `
    given  a
    when   start
    when   granted a worker-7     then  a running | a attempt 1 | a epoch 1
    when   ended a fail transient then  a retrying
    when   later 1000
    when   granted a worker-8     then  a attempt 2 | a epoch 2
    `,
  ),
  scenario(
    "LEASE-2 a result under an old epoch, or after the end, is ignored",
    `
    given  a
    when   start
    when   granted a
    when   lost a                 then  a queued
    when   granted a              then  a running | a epoch 2
    when   ended a ok 4 epoch 1   then  a running | answer ignored stale running | events
    when   lost a epoch 1         then  a running | answer ignored stale running | events
    when   ended a ok 5           then  a succeeded
    when   ended a ok 6           then  a output 5 | answer ignored stale completed | events
    `,
  ),
  scenario(
    "DATA-10 writes are seen in the order of the plan, whichever step ended last",
    `
    given  x; y; z after x, y
    when   start
    when   granted x
    when   granted y
    when   ended y ok "y"
    when   ended x ok "x"
    when   granted z              then  z called {"input":{"both":["x","y"],"all":["x","y"]}}
    `,
    {
      steps: {
        x: { output: { to: "variables.both", merge: "append" } },
        y: { output: { to: "variables.both", merge: "append" } },
        z: { input: { both: "${ variables.both }", all: ["${ steps.x.output }", "${ steps.y.output }"] } },
      },
    },
  ),
  scenario(
    "DATA-10 steps that alternately read and write one variable see the earlier writes (ruling 51)",
    `
    given  a; b after a; c after b
    when   start
    when   ran a ok 1
    when   granted b              then  b called {"input":1}
    when   ended b ok 2
    when   granted c              then  c called {"input":2}
    when   ended c ok 3           then  execution output 3
    `,
    {
      workflow: { output: "${ variables.x }" },
      steps: {
        a: { output: { to: "variables.x" } },
        b: { input: "${ variables.x }", output: { to: "variables.x" } },
        c: { input: "${ variables.x }", output: { to: "variables.x" } },
      },
    },
  ),
  scenario(
    "DATA-10 STATE-2 the write of a later step is visible neither in a new round nor to a compensation",
    `
    given  a; r after a; w after a, r settled; z after w
    when   start
    when   ran a ok 1
    when   granted r              then  r called {"input":1}
    when   ended r fail permanent
    when   ran w ok 2             then  w succeeded
    when   granted z
    when   ended z ok             then  execution failed
    when   retry                  then  r queued
    when   granted r              then  r called {"input":1}
    `,
    {
      workflow: { onFailure: "finish" },
      steps: {
        a: { output: { to: "variables.x" } },
        r: { input: "${ variables.x }" },
        w: { output: { to: "variables.x" } },
      },
    },
  ),
  scenario(
    "DATA-10 FAIL-8 a compensation sees the variables as its step saw them, and the step's own write",
    `
    given  a; b after a; c after b
    when   start
    when   ran a ok 1
    when   ran b ok 2
    when   ran c fail permanent   then  b/compensate queued
    when   granted b/compensate   then  b/compensate called {"input":2}
    when   ended b/compensate ok
    when   granted a/compensate   then  a/compensate called {"input":1}
    `,
    {
      workflow: { onFailure: "compensate" },
      steps: {
        a: { output: { to: "variables.x" }, compensate: UNDO_X },
        b: { output: { to: "variables.x" }, compensate: UNDO_X },
      },
    },
  ),
  scenario(
    "DATA-10 STATE-8 a step after a primary sees the write of its fallback, and overwrites it",
    `
    given  p fallback f; next after p; f; last after next
    when   start
    when   ran p fail permanent
    when   ran f ok 1
    when   granted next           then  next called {"input":1}
    when   ended next ok 2
    when   granted last           then  last called {"input":2}
    `,
    {
      steps: {
        p: { fallback: "f" as never, output: { to: "variables.x" } },
        f: { output: { to: "variables.x" } },
        next: { input: "${ variables.x }", output: { to: "variables.x" } },
        last: { input: "${ variables.x }" },
      },
    },
  ),
  scenario(
    "DATA-3 unordered merges keep the values of each, also if one path is inside the other",
    `
    given  a; b; z after a, b
    when   start
    when   ran a ok {"n":{"deep":1},"k":1}
    when   ran b ok {"m":2}
    when   granted z              then  z called {"input":{"n":{"deep":1,"m":2},"k":1}}
    `,
    {
      steps: {
        a: { output: { to: "variables.x", merge: "merge" } },
        b: { output: { to: "variables.x.n", merge: "merge" } },
        z: { input: "${ variables.x }" },
      },
    },
  ),
];
