// Agents under the names of code workflows that do no work: a script says how each attempt ends. Inputs, outputs and chains
// of fixes are the real ones.

import { expand, type Expansion, type StepContext } from "@segno/engine";
import { PermanentError, RateLimitError, type Definition, type Json } from "@segno/kernel";
import { EXECUTOR_DEFAULTS } from "../../src/config/executor-config.ts";
import { codeSettings } from "../../src/executor/code-settings.ts";
import { CODE_AGENTS } from "../../src/model/code-agents.ts";
import { ErrorType } from "../../src/model/error-type.ts";
import { fixTaskId, LANDING_NAME } from "../../src/git/branch-names.ts";
import { escapeTemplates } from "../../src/steps/escape-templates.ts";
import { fixChain } from "../../src/steps/fix-chain.ts";
import type { CodeInput, FailedMergeValue, MergeInput } from "../../src/steps/step-values.ts";
import { bindTemplate } from "../../src/template/bound-template.ts";
import { compileTemplate } from "../../src/template/compile-template.ts";
import { loadTemplate } from "../../src/template/load-template.ts";

/**
 * How an attempt ends: `flaky` fails and may be tried again, `limit` is a rate limit, `question` asks a person. `fix`,
 * `approval` and `escalation` are endings of merges.
 */
export type Ending = "succeed" | "flaky" | "fail" | "limit" | "question" | "fix" | "approval" | "escalation";

/** Gets the name of the step, such as `merge-a/fix-1`. */
export type Endings = (step: string, attempt: number) => Ending;

type Fake = (input: Json, context: StepContext) => Json | Expansion;

export function fakeAgents(endings: Endings): Readonly<Record<string, Fake>> {
  const fake: Fake = (input, context) => {
    const { step, attempt } = context;
    switch (endings(step.id, attempt)) {
      case "succeed":
        return output(context);
      case "flaky":
        throw Object.assign(new Error(`${step.id} is flaky`), { code: "network_timeout" });
      case "fail":
        throw new PermanentError(`${step.id} fails`);
      case "limit":
        throw new RateLimitError("the limit is reached", 60_000);
      case "question":
        return asked("question", "session", CODE_AGENTS.session, input);
      case "approval":
        return asked("approval", "merge", CODE_AGENTS.merge, input);
      case "fix":
        return failed(input as unknown as MergeInput, "fix");
      case "escalation":
        return failed(input as unknown as MergeInput, "escalate");
    }
  };
  const merged: Fake = (input) => (input as { readonly merge: Json }).merge;
  return {
    ...Object.fromEntries(Object.values(CODE_AGENTS).map((name) => [name, fake])),
    [CODE_AGENTS.merged]: merged,
  };
}

function output({ step, execution }: StepContext): Json {
  if (step.id === "prepare")
    return {
      workflowId: execution.id,
      template: "fake",
      workflowBranch: `workflow/${execution.id}`,
      workspaceFolder: `/workspaces/${execution.id}`,
    };
  if (/(?:^|\/)(?:session|fix)[^/]*$/u.test(step.id))
    return { kind: "changed", branch: `branch of ${step.id}`, commit: "1" };
  return { kind: "landed", commit: `commit of ${step.id}`, artefact: { changedFiles: [] } };
}

function asked(question: string, again: string, agent: string, input: Json): Expansion {
  const steps = [
    { id: question, approve: { message: `the ${question}` } },
    { id: again, agent, dependsOn: [question], input: escapeTemplates(input) },
  ];
  return expand(steps, { result: again });
}

/** The budget of fixes is kept, as the real merge keeps it. */
function failed(input: MergeInput, wanted: "fix" | "escalate"): Json | Expansion {
  const { fixesMade = 0, settings, isInChain = false, task } = input;
  const next = fixesMade < settings.maxFixAttempts ? wanted : "escalate";
  const id = task?.id ?? LANDING_NAME;
  const context = { originalTaskId: id, originalIntent: "intent", ...CONFLICT, fixNumber: fixesMade + 1 };
  const fix = {
    fixTaskId: fixTaskId(id, fixesMade + 1),
    context,
    start: "1",
    parents: ["1"],
    conflictedPaths: ["a.ts"],
  };
  const value: FailedMergeValue = {
    kind: "failed",
    next,
    reason: "it cannot be merged.",
    ...(input.work === undefined || input.work === null ? {} : { branch: input.work.branch }),
    fingerprints: [],
    ...CONFLICT,
    ...(next === "fix" ? { fix } : {}),
  };
  return isInChain ? (JSON.parse(JSON.stringify(value)) as Json) : fixChain(input, value, { merges: 1 });
}

const CONFLICT = {
  error: { type: ErrorType.MergeConflict, message: "two sides changed ${ x }" },
  conflicts: { files: [{ path: "a.ts", messages: ["both modified"] }] },
  ciLogs: "the log",
};

export interface FakeWorkflow {
  readonly definition: Definition;
  readonly input: Json;
}

/** A workflow of tasks, each with the tasks that it waits for. `checked` tasks have checks. */
export function fakeWorkflow(
  tasks: Readonly<Record<string, readonly string[]>>,
  checked: readonly string[] = [],
): FakeWorkflow {
  const template = loadTemplate({
    text: JSON.stringify({
      name: "fake",
      policies: { step: checked.length > 0 ? "checks" : "auto", workflow: "auto" },
      tasks: Object.entries(tasks).map(([id, dependsOn]) => ({
        id,
        instructions: `do ${id}`,
        dependsOn,
        ...(checked.includes(id) ? { checks: ["npm test"] } : {}),
      })),
    }),
  });
  const input: CodeInput = {
    ...bindTemplate(template, {}),
    baseBranch: "main",
    settings: codeSettings(template, EXECUTOR_DEFAULTS),
  };
  return { definition: compileTemplate(template), input: JSON.parse(JSON.stringify(input)) as Json };
}
