// The steps that a failed merge opens into: all fixes that the budget allows, each followed by a merge, then the question to a
// person (CODE-7). Steps whose condition does not hold are skipped, so the graph itself keeps the budget.
//
//   fix-1 → merge-1 → fix-2 → merge-2 → escalation → resolved → merged
//
//   FC1. A fix starts only if the merge before it failed and asks for a fix.
//   FC2. The agent of a fix may fail. The merge after it then asks a person.
//   FC3. Texts of agents, logs and people are data: they are escaped, or read from the output of a step.

import { expand, type Expansion, type StepContext } from "@segno/engine";
import type { RawStep } from "@segno/contract";
import type { Json } from "@segno/kernel";
import { fixTaskId, LANDING_NAME } from "../git/branch-names.ts";
import { CODE_AGENTS } from "../model/code-agents.ts";
import { forgeSecrets } from "../template/compile-template.ts";
import { escapeTemplates } from "./escape-templates.ts";
import { stepAttempts } from "./step-attempts.ts";
import type { FailedMergeValue, MergeInput } from "./step-values.ts";

/** `resources`: those of the merge that failed. All merges of the chain need them. */
export function fixChain(input: MergeInput, failure: FailedMergeValue, resources: StepContext["resources"]): Expansion {
  const { fixesMade = 0, settings } = input;
  const count = failure.next === "fix" ? settings.maxFixAttempts - fixesMade : 0;
  const numbers = Array.from({ length: count }, (_, index) => fixesMade + 1 + index);
  const first = numbers[0];
  const fixes = numbers.flatMap((n) => [
    fixStep(input, failure, n, n === first),
    { ...mergeStep(input, failure, n, n === first), resources: { ...resources } },
  ]);
  const escalation = escalationSteps(input, failure, numbers, resources);
  return expand([...fixes, ...escalation, mergedStep(numbers)], { result: "merged" });
}

function fixStep(input: MergeInput, failure: FailedMergeValue, n: number, isFirst: boolean): RawStep {
  const { task, workflow, settings, artefacts = {}, places = 1 } = input;
  return {
    id: `fix-${n}`,
    agent: CODE_AGENTS.session,
    resources: { sessions: places },
    ...stepAttempts(settings),
    onError: "continue",
    ...(isFirst ? {} : { dependsOn: [`merge-${n - 1}`], when: asksForFix(n - 1) }),
    input: {
      ...(escapeTemplates({ task: task ?? LANDING_TASK, workflow, settings, artefacts }) as object),
      fix: isFirst ? escapeTemplates(failure.fix) : `\${ steps."merge-${n - 1}".output.fix }`,
    },
  };
}

/** The landing of a workflow has no task of the template; its fix needs one. */
const LANDING_TASK = {
  id: LANDING_NAME,
  title: "Land the workflow",
  instructions: "Make the whole work of this workflow fit the base branch.",
  acceptanceCriteria: [],
  dependsOn: [],
  context: {},
  priority: 0,
  type: "fix",
  touches: [],
  exclusive: false,
};

function mergeStep(input: MergeInput, failure: FailedMergeValue, n: number, isFirst: boolean): RawStep {
  return {
    id: `merge-${n}`,
    agent: CODE_AGENTS.merge,
    ...stepAttempts(input.settings),
    ...forgeSecrets(input.settings.forge),
    dependsOn: [{ step: `fix-${n}`, on: "settled" }, ...(isFirst ? [] : [`merge-${n - 1}`])],
    ...(isFirst ? {} : { when: asksForFix(n - 1) }),
    input: {
      ...mergeInput(input),
      sessions: sessionHeads(input, failure, n),
      work: `\${ steps."fix-${n}".output }`,
      fixesMade: n,
      fingerprints: isFirst
        ? escapeTemplates(failure.fingerprints)
        : `\${ steps."merge-${n - 1}".output.fingerprints }`,
      isInChain: true,
    },
  };
}

function escalationSteps(
  input: MergeInput,
  failure: FailedMergeValue,
  numbers: readonly number[],
  resources: StepContext["resources"],
): readonly RawStep[] {
  const merges = numbers.map((n) => `merge-${n}`);
  const condition = numbers.map((n) => `steps."merge-${n}".output.next == 'escalate'`).join(" || ");
  const when = numbers.length === 0 ? {} : { when: condition };
  const reason = lastText(numbers, "reason", failure.reason);
  const workspace = lastText(numbers, "workspace", failure.workspace ?? NOT_KEPT);
  const name = input.task?.id ?? "the workflow";
  const target = input.task === undefined ? input.workflow.baseBranch : input.workflow.workflowBranch;
  return [
    {
      id: "escalation",
      dependsOn: merges,
      ...when,
      approve: {
        message:
          `\`${name}\` cannot be merged: ${reason} Approve to merge again after a repair in its workspace (${workspace}); ` +
          `if files are in conflict, merge \`${escapeTemplates(target) as string}\` there and commit.`,
      },
    },
    {
      id: "resolved",
      agent: CODE_AGENTS.merge,
      resources: { ...resources },
      ...stepAttempts(input.settings),
      ...forgeSecrets(input.settings.forge),
      dependsOn: ["escalation", ...merges, ...numbers.map((n) => ({ step: `fix-${n}`, on: "settled" as const }))],
      ...when,
      input: {
        ...mergeInput(input),
        sessions: sessionHeads(input, failure, numbers.at(-1) ?? 0),
        fixesMade: input.settings.maxFixAttempts,
        ...(numbers.length === 0 ? { failure: escapeTemplates(failureOf(failure)) } : {}),
        reopened: [
          ...numbers.toReversed().map((n) => `\${ steps."fix-${n}".output }`),
          escapeTemplates(input.work ?? null),
        ],
      },
    },
  ];
}

const NOT_KEPT = "not kept";

/** A text of the last merge that failed. */
function lastText(numbers: readonly number[], field: "reason" | "workspace", constant: string): string {
  if (numbers.length === 0) return escapeTemplates(constant) as string;
  const outputs = numbers.toReversed().map((n) => `steps."merge-${n}".output.${field}`);
  return `\${ ${[...outputs, `'${NOT_KEPT}'`].join(" || ")} }`;
}

function failureOf({ error, conflicts, ciLogs }: FailedMergeValue): NonNullable<MergeInput["failure"]> {
  return {
    error,
    ...(conflicts === undefined ? {} : { conflicts }),
    ...(ciLogs === undefined ? {} : { ciLogs }),
  };
}

/** The result of the scope: the merge that landed. */
function mergedStep(numbers: readonly number[]): RawStep {
  const steps = ["resolved", ...numbers.toReversed().map((n) => `"merge-${n}"`)];
  return {
    id: "merged",
    agent: CODE_AGENTS.merged,
    dependsOn: ["resolved", ...numbers.map((n) => `merge-${n}`)],
    input: { merge: `\${ ${steps.map((step) => `steps.${step}.output`).join(" || ")} }` },
  };
}

function mergeInput({ task, workflow, settings }: MergeInput): Record<string, never> {
  return escapeTemplates({ ...(task === undefined ? {} : { task }), workflow, settings }) as Record<string, never>;
}

/** The sessions before a merge, up to the fix with this number. */
function sessionHeads(input: MergeInput, failure: FailedMergeValue, last: number): Json {
  const { task, work, sessions = [], fixesMade = 0 } = input;
  const root = task?.id ?? LANDING_TASK.id;
  const first = fixesMade + 1;
  const fixes = Array.from({ length: Math.max(0, last - fixesMade) }, (_, index) => first + index);
  const start = (n: number): Json =>
    n === first ? (failure.fix?.start ?? null) : `\${ steps."merge-${n - 1}".output.fix.start }`;
  return [
    ...(sessions.length > 0 ? sessions : [{ id: root, heads: [work?.commit ?? null] }]),
    ...fixes.map((n) => ({ id: fixTaskId(root, n), heads: [`\${ steps."fix-${n}".output.commit }`, start(n)] })),
  ] as Json;
}

function asksForFix(n: number): string {
  return `steps."merge-${n}".output.next == 'fix'`;
}
