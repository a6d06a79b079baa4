// Checks a code workflow before it starts. Nothing is created here: neither a branch nor a record.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import type { Definition, Json } from "@segno/kernel";
import type { AgentConfiguration } from "../agents/agent-configuration.ts";
import type { RoutedAgents } from "../agents/routed-agents.ts";
import { EVENT_FILE, EXECUTOR_DEFAULTS, type ExecutorConfig } from "../config/executor-config.ts";
import { CodeError } from "../errors/code-error.ts";
import { codeSettings, compileOptions, slotsFor } from "../executor/code-settings.ts";
import { loadStrategy } from "../executor/load-strategy.ts";
import { workflowBranch } from "../git/branch-names.ts";
import type { Repository } from "../git/repository.ts";
import { checkGitHubOptions } from "../github/github-options.ts";
import { usesPullRequests } from "../model/merge-policy-name.ts";
import type { CodeInput, CodeSettings } from "../steps/step-values.ts";
import { bindTemplate } from "../template/bound-template.ts";
import { compileTemplate } from "../template/compile-template.ts";
import { parseParameter, type GivenValues } from "../template/parameter-values.ts";
import type { CodeTemplate } from "../template/template.ts";
import { configuredAgents, gitHubOptions, OpenRepository } from "./open-repository.ts";

/** The template and the parameters of a code workflow that is to start. */
export interface CodeStartRequest {
  /** The loaded template. */
  readonly template: CodeTemplate;
  /** The file of the template; `{template}` in the command of an agent stands for its folder. */
  readonly templateFile: string;
  /** The values of the template's parameters. */
  readonly parameters: GivenValues;
  /** A folder in the repository, or a function that makes one when everything else is checked; without it, none is checked. */
  readonly repository?: string | (() => Promise<string>);
  /** The branch that receives the work. */
  readonly baseBranch: string;
  /** The id with which the execution will be started. Without it, merges take turns with those of other workflows. */
  readonly executionId?: string;
  /** The configuration. The default is `EXECUTOR_DEFAULTS`. */
  readonly config?: ExecutorConfig;
}

/** A code workflow that is ready to start. */
export interface CodeStart {
  readonly definition: Definition;
  readonly input: Json;
  /** How many steps the engine has to run at once for the limits of the configuration. */
  readonly slots: number;
}

/** Checks a template, its parameters and the repository, and returns the definition and the input for `engine.start`. */
export async function prepareStart(request: CodeStartRequest): Promise<CodeStart> {
  const { parameters, repository, baseBranch, executionId, config = EXECUTOR_DEFAULTS } = request;
  const template = withForge(withFolder(request.template, dirname(resolve(request.templateFile))), config);
  const bound = bindTemplate(template, parameters);
  await checkStrategy(config);
  const existing = typeof repository === "string" ? await checkRepository(repository, baseBranch) : undefined;
  checkAgents(template, configuredAgents(template));
  checkForge(codeSettings(template, config));
  const found = existing ?? (await checkRepository(repository, baseBranch));
  const settings = codeSettings(template, withPaths(config), found?.folder);
  const input: CodeInput = { ...bound, baseBranch, settings };
  const targets =
    found === undefined || executionId === undefined
      ? undefined
      : { repository: found.commonDir, workflowBranch: workflowBranch(executionId), baseBranch };
  const definition = compileTemplate(template, compileOptions(config), targets);
  return { definition, input: input as unknown as Json, slots: slotsFor(config) };
}

/** Another process may go on with the execution in another folder. */
function withPaths(config: ExecutorConfig): ExecutorConfig {
  const { events } = config;
  const streams = events.streams.map((stream) =>
    stream.type === "file" && stream.path !== EVENT_FILE ? { ...stream, path: resolve(stream.path) } : stream,
  );
  return { ...config, events: { ...events, streams } };
}

/** A module that is missing or wrong is found before anything is created. */
async function checkStrategy({ scheduling: { module } }: ExecutorConfig): Promise<void> {
  if (module !== undefined) await loadStrategy(module);
}

/** Returns the top folder of the repository, and the git directory that all its worktrees share. */
async function checkRepository(
  repository: CodeStartRequest["repository"],
  baseBranch: string,
): Promise<Pick<Repository, "folder" | "commonDir"> | undefined> {
  if (repository === undefined) return undefined;
  await using opened = await OpenRepository.open(typeof repository === "string" ? repository : await repository());
  await opened.preflight(baseBranch);
  const { folder, commonDir } = opened.repository;
  return { folder, commonDir };
}

/** Reads `name=value` as the template declares the parameter. */
export function parseParameters({ parameters }: CodeTemplate, words: readonly string[]): GivenValues {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf("=");
      if (at <= 0) throw new CodeError("PARAMETER_INVALID", `expected \`name=value\`, found \`${word}\``);
      const [name, text] = [word.slice(0, at), word.slice(at + 1)];
      const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
      return [name, parameter === undefined ? text : parseParameter(parameter, text)];
    }),
  );
}

/** `{template}` in a command stands for the folder of the template, so that an agent can lie beside it. */
function withFolder(template: CodeTemplate, folder: string): CodeTemplate {
  const inFolder = (words: readonly string[]): readonly string[] =>
    words.map((word) => word.replaceAll("{template}", folder));
  const toPlaced = (agent: AgentConfiguration): AgentConfiguration => {
    if ("command" in agent) return { ...agent, command: inFolder(agent.command) };
    return "acp" in agent ? { ...agent, acp: inFolder(agent.acp) } : agent;
  };
  const agents = Object.entries(template.agents).map(([name, agent]) => [name, toPlaced(agent)]);
  return { ...template, agents: Object.fromEntries(agents) as CodeTemplate["agents"] };
}

/** The forge of the template, or that of the configuration if the policies use pull requests. */
function withForge(template: CodeTemplate, { integration }: ExecutorConfig): CodeTemplate {
  const { forge, stepMergePolicy, workflowMergePolicy } = integration;
  const { step = stepMergePolicy, workflow = workflowMergePolicy } = template.policies;
  if (template.forge !== undefined || forge === undefined || ![step, workflow].some(usesPullRequests)) return template;
  return { ...template, forge };
}

/** A program that is missing is found before the first task, not in the middle of the night. */
function checkAgents({ tasks, agent }: CodeTemplate, agents: RoutedAgents): void {
  const names = new Set(tasks.map((task) => task.agent ?? agent));
  agents.check([...names]);
  for (const name of names) {
    const { program } = agents.describe(name);
    if (!isProgram(program))
      throw new CodeError(
        "AGENT_MISSING",
        `the program \`${program}\` of the agent \`${name ?? "default"}\` is not installed`,
      );
  }
}

function checkForge({ forge, stepPolicy, workflowPolicy }: CodeSettings): void {
  if (forge === undefined) return;
  checkGitHubOptions(gitHubOptions(forge, () => ""));
  if (![stepPolicy, workflowPolicy].some(usesPullRequests))
    throw new CodeError(
      "CONFIGURATION_INVALID",
      "`forge` has no effect with these policies; use `pr_and_merge` or `pr_and_notify`, or remove it",
    );
}

function isProgram(program: string): boolean {
  if (isAbsolute(program)) return isExecutable(program);
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  const endings = process.platform === "win32" ? ["", ".exe", ".cmd", ".bat"] : [""];
  return folders.some((folder) => endings.some((ending) => isExecutable(join(folder, program + ending))));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
