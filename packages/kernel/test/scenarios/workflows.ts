// Sub-workflows: a step that opens into another definition.

import type { Definition } from "../../src/model/definition.ts";
import { scenario, type Scenario } from "./scenario.ts";
import { parseTable } from "./table.ts";

const flow = (name: string, given: string, fields: Partial<Definition> = {}): Definition => ({
  name,
  steps: parseTable(`given ${given}`).steps,
  ...fields,
});

export const workflows: readonly Scenario[] = [
  scenario(
    "STATE-9 a workflow step is queued until its definition is there, and opens into it",
    `
    given  w workflow child; n after w
    when   start 5                then  w queued | effects resolve w child
    when   resolved w child       then  w open | w/p queued | w/q waiting
    when   granted w/p            then  w/p called {"input":{"given":6}}
    when   ended w/p ok 1
    when   ran w/q ok 2           then  w succeeded | w output {"sum":[1,2]} | n queued
    `,
    {
      steps: { w: { action: { kind: "workflow", workflow: "child" }, input: { number: 6 } } },
      library: {
        child: {
          name: "child",
          input: { type: "object" },
          output: { sum: ["${ steps.p.output }", "${ steps.q.output }"] },
          steps: parseTable("given p; q after p", { p: { input: { given: "${ input.number }" } } }).steps,
        },
      },
    },
  ),
  scenario(
    "STATE-9 a workflow that cannot be loaded fails its step",
    `
    given  w workflow child
    when   start
    when   unresolved w "there is no workflow child" then  w failed | w says there is no workflow child | execution failed
    when   unresolved w "again"   then  answer ignored not-asked failed
    `,
  ),
  scenario(
    "STATE-9 a workflow that refuses the input fails its step",
    `
    given  w workflow child
    when   start
    when   resolved w child       then  w failed | w because INPUT_INVALID | execution failed
    `,
    { library: { child: { name: "child", input: { type: "object" }, steps: [] } } },
  ),
  scenario(
    "STATE-9 an input that cannot be made fails the workflow step",
    `
    given  w workflow child
    when   start {}
    when   resolved w child       then  w failed | w because TEMPLATE_MISSING
    `,
    {
      workflow: { strict: true },
      steps: { w: { action: { kind: "workflow", workflow: "child" }, input: "${ input.nothing }" } },
      library: { child: flow("child", "") },
    },
  ),
  scenario(
    "STATE-9 a definition that was not requested, or is not in the library, is ignored",
    `
    given  w workflow child; a
    when   start
    when   resolved a child       then  answer ignored not-asked running
    when   resolved w other       then  w queued | answer ignored stale running
    when   granted w              then  w queued
    `,
    { library: { child: flow("child", "") } },
  ),
  scenario(
    "STATE-9 STATE-7 a failure inside a sub-workflow fails its step, by the sub-workflow's own mode",
    `
    given  w workflow child; v workflow patient
    when   start
    when   resolved w child
    when   resolved v patient
    when   ran v/p fail permanent then  v open | v/q queued
    when   ran v/q ok             then  v failed | w cancelled | w/p skipped | execution failed
    `,
    { library: { child: flow("child", "p"), patient: flow("patient", "p; q", { onFailure: "finish" }) } },
  ),
  scenario(
    "STATE-9 STATE-7 a failing sub-workflow stops its own steps, tidies up, and leaves the others alone",
    `
    given  w workflow child continue; a
    when   start
    when   resolved w child
    when   granted w/q
    when   ran w/p fail permanent then  w/q cancelling | w/tidy queued | w open | a queued | execution running
    when   later 5000             then  w/q cancelled | w/q because by-force
    when   ran w/tidy ok          then  w failed | a queued | execution running
    when   ran a ok               then  execution completed
    `,
    { library: { child: flow("child", "p; q; tidy after p settled") } },
  ),
  scenario(
    "STATE-8 STATE-9 a fallback replaces a failed sub-workflow",
    `
    given  w workflow child fallback f; f; n after w
    when   start
    when   resolved w child
    when   ran w/p fail permanent then  w failed | f queued
    when   ran f ok 3             then  n queued
    `,
    { library: { child: flow("child", "p") } },
  ),
  scenario(
    "CANCEL-2 STATE-9 a cancel reaches into a sub-workflow that still waits for its definition, and into one that runs",
    `
    given  w workflow child; v workflow child
    when   start
    when   resolved v child
    when   granted v/p
    when   cancel abort           then  w cancelled | v, v/p cancelling | v/q cancelled
    when   resolved w child       then  answer ignored not-asked cancelling
    when   ended v/p ok           then  v/p succeeded | v cancelled | execution cancelled
    `,
    { library: { child: flow("child", "p; q after p") } },
  ),
  scenario(
    "STATE-9 an output of a sub-workflow that cannot be made fails its step",
    `
    given  w workflow child
    when   start
    when   resolved w child
    when   ran w/p ok 1           then  w failed | w because TEMPLATE_MISSING
    `,
    { library: { child: flow("child", "p", { strict: true, output: "${ steps.p.output.nothing }" }) } },
  ),
  scenario(
    "STATE-9 a workflow that opens into itself ends at the limit of depth",
    `
    given  w workflow child
    when   start
    when   resolved w child
    when   resolved w/w child
    when   resolved w/w/w child
    when   resolved w/w/w/w child
    when   resolved w/w/w/w/w child
    when   resolved w/w/w/w/w/w child
    when   resolved w/w/w/w/w/w/w child
    when   resolved w/w/w/w/w/w/w/w child then  w/w/w/w/w/w/w/w/w because SCOPE_TOO_DEEP | execution failed
    `,
    { library: { child: flow("kin", "w workflow child") } },
  ),
];
