// Agents under the names of code workflows that do no work: a script says how each attempt ends.

import { expand, type Expansion, type StepContext } from "@segno/engine";
import { PermanentError, RateLimitError, type Definition, type Json } from "@segno/kernel";
import { bindTemplate } from "../../src/template/bound-template.ts";
import { CODE_AGENTS } from "../../src/model/code-agents.ts";
import { compileTemplate } from "../../src/template/compile-template.ts";
import { loadTemplate } from "../../src/template/load-template.ts";

/** How an attempt ends: `flaky` fails and may be tried again, `limit` and `put-off` are rate limits, the last three open a merge. */
export type Ending = "succeed" | "flaky" | "fail" | "limit" | "put-off" | "fix" | "approval" | "escalation";

/** Gets the name of the step, such as `merge-a/fix`. */
export type Endings = (step: string, attempt: number) => Ending;

type Fake = (input: Json, context: StepContext) => Json | Expansion;

export function fakeAgents(endings: Endings): Readonly<Record<string, Fake>> {
  const fake: Fake = (input, { stepId, attempt, executionId }) => {
    switch (endings(stepId, attempt)) {
      case "succeed":
        return { commit: `commit of ${stepId}`, executionId };
      case "flaky":
        throw Object.assign(new Error(`${stepId} is flaky`), { code: "network_timeout" });
      case "fail":
        throw new PermanentError(`${stepId} fails`);
      case "limit":
        throw new RateLimitError("the limit is reached", 60_000);
      case "put-off":
        return expand([
          { id: "wait", wait: { for: "1m" } },
          { id: "session", agent: CODE_AGENTS.session, dependsOn: ["wait"], input },
        ]);
      case "fix":
        return expand([
          { id: "fix", agent: CODE_AGENTS.session, input: { fixTaskId: `${stepId.replaceAll("/", "-")}-fix`, fix } },
          { id: "merge", agent: agentOf(stepId), dependsOn: ["fix"], input },
        ]);
      case "approval":
        return expand([
          { id: "approval", approve: { message: "may it land?" } },
          { id: "merge", agent: agentOf(stepId), dependsOn: ["approval"], input },
        ]);
      case "escalation":
        return expand([
          { id: "escalation", approve: { message: "it cannot be merged" } },
          { id: "merge", agent: agentOf(stepId), dependsOn: ["escalation"], input },
        ]);
    }
  };
  return Object.fromEntries(Object.values(CODE_AGENTS).map((name) => [name, fake]));
}

function agentOf(step: string): string {
  return step.startsWith("land") ? CODE_AGENTS.land : CODE_AGENTS.merge;
}

const fix = {
  originalTaskId: "the-original",
  originalIntent: "intent",
  error: { type: "merge_conflict", message: "two sides changed $${ x }" },
  conflicts: { files: [{ path: "a.ts", messages: ["both modified"] }] },
  ciLogs: "the log",
  fixNumber: 1,
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
      tasks: Object.entries(tasks).map(([id, dependsOn]) => ({
        id,
        instructions: `do ${id}`,
        dependsOn,
        ...(checked.includes(id) ? { checks: ["npm test"] } : {}),
      })),
    }),
  });
  return {
    definition: compileTemplate(template),
    input: JSON.parse(JSON.stringify(bindTemplate(template, {}))) as Json,
  };
}
