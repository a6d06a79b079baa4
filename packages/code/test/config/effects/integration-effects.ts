import { expect } from "vitest";
import type { AgentScript } from "../../../src/agents/memory-agents.ts";
import type { ExecutorConfig } from "../../../src/config/executor-config.ts";
import type { ForgeConfiguration } from "../../../src/model/forge-configuration.ts";
import { prepareStart } from "../../../src/project/code-start.ts";
import type { CodeInput } from "../../../src/steps/step-values.ts";
import { loadTemplate } from "../../../src/template/load-template.ts";
import { MemoryExecutor } from "../../executor/memory-executor.ts";
import { independent, workspaceOf, writes } from "../../executor/memory-scripts.ts";
import { CodeProject } from "../../project/code-project.ts";
import type { KeyEffect } from "./key-effect.ts";

/** The approvals for which a workflow on a real repository waits. */
async function approvals(config: ExecutorConfig): Promise<readonly string[]> {
  await using project = new CodeProject();
  project.git("checkout", "--quiet", "-b", "mine");
  const agent = project.agent("agent.sh", "echo one > one.txt");
  const handle = await project.start(
    `name: one\nagent: a\nagents: { a: { command: ["${agent}"] } }\ntasks: [{ id: one, instructions: i }]\n`,
    config,
  );
  const waiting = async (): Promise<readonly string[] | undefined> => {
    const { status, steps } = await handle.status();
    const names = steps.filter((step) => step.status === "suspended").map(({ name }) => name);
    return status === "completed" || names.length > 0 ? names : undefined;
  };
  await expect.poll(waiting, { timeout: 60_000 }).toBeDefined();
  return (await waiting())!;
}

/** How many fixes a conflict gets, each of which meets another conflict. */
async function fixes(config: ExecutorConfig): Promise<number> {
  const fix: AgentScript = ({ request: { workspacePath, context } }) => {
    const workspace = workspaceOf(workspacePath);
    const { conflicts, fixNumber } = context.fix!;
    for (const { path } of conflicts!.files) test.workspaces.write(workspace, path, "fixed");
    test.workspaces.write(workspace, `b${fixNumber}.txt`, "task");
    test.repository.commitOn(context.workflow.workflowBranch, { [`b${fixNumber}.txt`]: "somebody" });
    return undefined;
  };
  const names = ["left", "right"].flatMap((task) => [1, 2, 3].map((n) => `${task}.fix${n}`));
  await using test: MemoryExecutor = new MemoryExecutor(
    {
      left: writes(() => test, "a.txt", "left"),
      right: writes(() => test, "a.txt", "right"),
      ...Object.fromEntries(names.map((name) => [name, fix])),
    },
    { config },
  );
  const id = await test.executor.instantiateTemplate(independent("left", "right"), {});
  await expect(test.executor.executeWorkflow(id)).rejects.toMatchObject({ code: "TASK_ESCALATED" });
  return test.agents.requests.filter(({ taskId }) => /\.fix\d$/u.test(taskId)).length;
}

/** A setting of the forge with which a template without one starts. */
function forgeOf(key: keyof ForgeConfiguration): KeyEffect["observe"] {
  return async (config) => {
    const template = loadTemplate({
      text: 'name: x\nagent: a\nagents: { a: { command: ["true"] } }\ntasks: [{ id: a, instructions: a }]\n',
    });
    const { definition, input } = await prepareStart({
      template,
      templateFile: "x.yaml",
      parameters: {},
      baseBranch: "main",
      config,
    });
    const { forge } = (input as unknown as CodeInput).settings;
    expect(definition.steps.find(({ id }) => id === "land")!.secrets).toEqual([forge!.tokenSecret]);
    return forge![key];
  };
}

const FORGE = { kind: "github", repository: "owner/name", token_secret: "TOKEN" };

function forgeEffect(key: string, setting: keyof ForgeConfiguration, values: KeyEffect["values"]): KeyEffect {
  const beside = { integration: { forge: FORGE } };
  return { key: `integration.forge.${key}`, beside, values, results: values, observe: forgeOf(setting) };
}

export const INTEGRATION_EFFECTS: readonly KeyEffect[] = [
  {
    key: "integration.step_merge_policy",
    beside: { integration: { workflow_merge_policy: "auto" } },
    values: ["auto", "manual"],
    results: [[], ["merge-one/approval"]],
    observe: approvals,
  },
  {
    key: "integration.workflow_merge_policy",
    beside: { integration: { step_merge_policy: "auto" } },
    values: ["auto", "pr_and_notify"],
    results: [[], ["land/approval"]],
    observe: approvals,
  },
  { key: "integration.auto_create_fix_tasks", values: [true, false], results: [2, 0], observe: fixes },
  { key: "integration.max_fix_attempts", values: [0, 1], results: [0, 1], observe: fixes },
  forgeEffect("kind", "kind", ["github", "github"]),
  forgeEffect("repository", "repository", ["owner/one", "owner/two"]),
  forgeEffect("token_secret", "tokenSecret", ["ONE", "TWO"]),
  forgeEffect("base_url", "baseUrl", ["https://one.example.com", "https://two.example.com"]),
  forgeEffect("merge_method", "mergeMethod", ["merge", "squash"]),
  forgeEffect("expected_checks", "expectedChecks", [["one"], ["two"]]),
  forgeEffect("allow_no_checks", "allowNoChecks", [true, false]),
];
