// Steps that an attempt returned at run time.

import type { StepDefinition } from "../../src/model/definition.ts";
import { durationMs, stepId } from "../../src/model/units.ts";
import { scenario, type Scenario } from "./scenario.ts";
import { parseTable, type StepExtras } from "./table.ts";

const steps = (given: string, extras?: StepExtras): readonly StepDefinition[] =>
  parseTable(`given ${given}`, extras).steps;

export const expansions: readonly Scenario[] = [
  scenario(
    "STATE-9 an attempt may return steps, and its step settles with their outputs",
    `
    given  a; b after a
    when   start
    when   ran a expand two       then  a open | a/x queued | a/y waiting | b waiting
                                  then  events step.started, step.expanded | effects run a, release a, admit a/x
    when   ran a/x ok 1           then  a/y queued
    when   ran a/y ok 2           then  a succeeded | a output {"x":1,"y":2} | b queued
    `,
    { expansions: { two: { kind: "expanded", steps: steps("x; y after x") } } },
  ),
  scenario(
    "STATE-9 the result child speaks for the steps that were returned",
    `
    given  a
    when   start
    when   ran a expand two
    when   ran a/x ok 1
    when   ran a/y ok 2           then  a output 1 | execution completed
    `,
    { expansions: { two: { kind: "expanded", steps: steps("x; y after x"), result: "x" } } },
  ),
  scenario(
    "STATE-9 an expansion into no steps settles at once",
    `
    given  a
    when   start
    when   ran a expand none      then  a succeeded | a output {} | execution completed
    `,
    { expansions: { none: { kind: "expanded", steps: [] } } },
  ),
  scenario(
    "STATE-9 steps that cannot be run fail the step that returned them",
    `
    given  a continue; b
    when   start
    when   ran a expand circle    then  a failed | a because EXPANSION_INVALID
    when   ran b expand nowhere   then  b failed | b because EXPANSION_INVALID
    `,
    {
      expansions: {
        circle: { kind: "expanded", steps: steps("x after y; y after x") },
        nowhere: { kind: "expanded", steps: steps("x"), result: "z" },
      },
    },
  ),
  scenario(
    "STATE-9 a returned step that fails fails its scope, and the scope its execution",
    `
    given  a; b after a
    when   start
    when   ran a expand one
    when   ran a/x fail permanent then  a failed | a because SCOPE_FAILED | b skipped | execution failed
    `,
    { expansions: { one: { kind: "expanded", steps: steps("x") } } },
  ),
  scenario(
    "STATE-9 returned steps return steps, down to the limit of depth",
    `
    given  a
    when   start
    when   ran a expand one
    when   ran a/x expand one
    when   ran a/x/x expand one
    when   ran a/x/x/x expand one
    when   ran a/x/x/x/x expand one
    when   ran a/x/x/x/x/x expand one
    when   ran a/x/x/x/x/x/x expand one
    when   ran a/x/x/x/x/x/x/x expand one
    when   ran a/x/x/x/x/x/x/x/x expand one then  a/x/x/x/x/x/x/x/x because SCOPE_TOO_DEEP | execution failed
    `,
    { expansions: { one: { kind: "expanded", steps: steps("x") } } },
  ),
  scenario(
    "STATE-9 maps nest down to the limit of depth",
    `
    given  a
    when   start [1]
    when   ran a expand one
    when   ran a/x expand one
    when   ran a/x/x expand one
    when   ran a/x/x/x expand one
    when   ran a/x/x/x/x expand one
    when   ran a/x/x/x/x/x expand one
    when   ran a/x/x/x/x/x/x expand one
    when   ran a/x/x/x/x/x/x/x expand list then  a/x/x/x/x/x/x/x/m because SCOPE_TOO_DEEP | execution failed
    `,
    {
      expansions: {
        one: { kind: "expanded", steps: steps("x") },
        list: { kind: "expanded", steps: steps('m map "input" "x"') },
      },
    },
  ),
  scenario(
    "STATE-9 DATA-1 steps returned inside a map see its item",
    `
    given  m map "input" "x"
    when   start ["p"]
    when   ran m/0 expand one     then  m/0 open | m/0/y queued
    when   granted m/0/y          then  m/0/y called {"input":"p"}
    when   ended m/0/y ok 1       then  m output [{"y":1}]
    `,
    { expansions: { one: { kind: "expanded", steps: steps("y", { y: { input: "${ item }" } }) } } },
  ),
  scenario(
    "DATA-10 steps created at run time see the outputs that their parent sees, and none of parallel steps",
    `
    given  before; beside; a after before
    when   start
    when   ran before ok 1
    when   ran beside ok 2
    when   ran a expand one
    when   granted a/x            then  a/x called {"input":{"before":1,"beside":null,"left":1,"right":null}}
    `,
    {
      steps: {
        before: { output: { to: "variables.left" } },
        beside: { output: { to: "variables.right" } },
      },
      expansions: {
        one: {
          kind: "expanded",
          steps: steps("x", {
            x: {
              input: {
                before: "${ steps.before.output }",
                beside: "${ steps.beside.output }",
                left: "${ variables.left }",
                right: "${ variables.right }",
              },
            },
          }),
        },
      },
    },
  ),
  scenario(
    "STATE-9 a returned step waits, with its own timer",
    `
    given  a
    when   start
    when   ran a expand wait      then  a/x suspended | armed wait a/x +50
    when   later 50               then  a/x, a succeeded | execution completed
    `,
    {
      expansions: {
        wait: {
          kind: "expanded",
          steps: [{ id: stepId("x"), action: { kind: "wait", on: "duration", for: durationMs(50) } }],
        },
      },
    },
  ),
  scenario(
    "STATE-2 STATE-9 a failed scope of returned steps opens again with the same steps",
    `
    given  a
    when   start
    when   ran a expand two
    when   ran a/x ok 1
    when   ran a/y fail permanent then  execution failed
    when   retry                  then  a open | a/x succeeded | a/y queued
    when   ran a/y ok 2           then  a output {"x":1,"y":2}
    `,
    { expansions: { two: { kind: "expanded", steps: steps("x; y") } } },
  ),
];
