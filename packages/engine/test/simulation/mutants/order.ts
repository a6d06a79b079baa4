// Planted bugs of order: dependencies, conditions, fallbacks, and the effect of failures on other steps (STATE-3 to
// STATE-8).

import type { Mutant } from "../../../src/testing/mutant.ts";

export const ORDER: readonly Mutant[] = [
  {
    name: "a step skipped by its condition breaks its dependants",
    changes: [
      {
        file: "kernel/src/state/move.ts",
        from: `return reason.kind === "condition" || reason.kind`,
        to: `return reason.kind`,
      },
    ],
  },
  {
    name: "a settled edge wants success",
    changes: [
      {
        file: "kernel/src/state/move.ts",
        from: `if (satisfied || kind !== EDGE_SUCCEEDED) countDownDependant(`,
        to: `if (satisfied) countDownDependant(`,
      },
    ],
  },
  {
    name: "the execution fails although a fallback stood in",
    changes: [
      {
        file: "kernel/src/state/move.ts",
        from: `else if (!satisfied) noteFailure(state, region, primary);`,
        to: `else noteFailure(state, region, primary);`,
      },
    ],
  },
  {
    name: "dependants do not wait for the fallback",
    changes: [
      {
        file: "kernel/src/state/move.ts",
        from: `if (fallback >= 0 && state.columns.phase[fallback] === WAITING) return countDownDependant(state, fallback);`,
        to: `if (fallback >= 0 && state.columns.phase[fallback] === WAITING) countDownDependant(state, fallback);`,
      },
    ],
  },
  {
    name: "a failure that may be continued after fails the execution",
    changes: [
      {
        file: "kernel/src/rules/consequences.ts",
        from: `state.columns.phase[step] !== FAILED || compiledStep(state, step).definition.onError === "continue"`,
        to: `state.columns.phase[step] !== FAILED`,
      },
    ],
  },
  {
    name: "a workflow that finishes on failure stops what runs",
    changes: [
      {
        file: "kernel/src/state/step-position.ts",
        from: `return enclosingWorkflow(state, step).onFailure !== "finish";`,
        to: `return enclosingWorkflow(state, step).onFailure !== undefined;`,
      },
    ],
  },
  {
    name: "a step that finishes on its failure stops what runs",
    changes: [
      {
        file: "kernel/src/state/step-position.ts",
        from: `definition.onError === "finish") return false;`,
        to: `definition.onError === "finish" && step < 0) return false;`,
      },
    ],
  },
  {
    name: "a failure after one that stops nothing stops nothing",
    changes: [
      {
        file: "kernel/src/rules/consequences.ts",
        from: `if (state.baseStatus !== "running" && state.baseStatus !== "failing") return;`,
        to: `if (state.baseStatus !== "running") return;`,
      },
    ],
  },
  {
    name: "a step begins one turn too early",
    changes: [
      {
        file: "kernel/src/state/step-position.ts",
        from: `region.plan.sequence[localStep(region, current)]! > region.plan.next)`,
        to: `region.plan.sequence[localStep(region, current)]! > region.plan.next + 1)`,
      },
    ],
  },
  {
    name: "a fallback has its turn where the plan has it",
    changes: [
      {
        file: "kernel/src/state/region.ts",
        from: `const steps = stepsInPlanOrder(program);`,
        to: `const steps = program.order.steps;`,
      },
    ],
  },
  {
    name: "clean-up is skipped while the execution fails",
    changes: [
      {
        file: "kernel/src/rules/stop.ts",
        from: `const stopping = findStepsToStop(state, ancestor, true);`,
        to: `const stopping = findStepsToStop(state, ancestor, false);`,
      },
    ],
  },
  {
    name: "the output of a fallback is not read under its primary's id",
    changes: [
      {
        file: "kernel/src/rules/context.ts",
        from: `return fallback < 0 ? null : this.stepOutput(`,
        to: `return fallback < 0 || phase === FAILED ? null : this.stepOutput(`,
      },
    ],
  },
  {
    name: "a condition that is false does not skip",
    changes: [
      {
        file: "kernel/src/rules/ready.ts",
        from: `if (!condition.value) {`,
        to: `if (!condition.evaluated && step < 0) {`,
      },
    ],
  },
];
