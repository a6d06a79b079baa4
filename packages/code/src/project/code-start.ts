// Checks a code workflow before it starts. Nothing is created here: neither a branch nor a record.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import type { Definition, Json } from "@segno/kernel";
import type { AgentConfiguration } from "../agents/agent-configuration.ts";
import type { RoutedAgents } from "../agents/routed-agents.ts";
import { EXECUTOR_DEFAULTS, type ExecutorConfig } from "../config/executor-config.ts";
import { CodeError } from "../errors/code-error.ts";
import { codeSettings, compileOptions } from "../executor/code-settings.ts";
import type { CodeInput } from "../steps/step-values.ts";
import { bindTemplate } from "../template/bound-template.ts";
import { compileTemplate } from "../template/compile-template.ts";
import { parseParameter, type GivenValues } from "../template/parameter-values.ts";
import type { CodeTemplate } from "../template/template.ts";
import { configuredAgents, OpenRepository } from "./open-repository.ts";

export interface CodeStartRequest {
  readonly template: CodeTemplate;
  /** The file of the template; `{template}` in the command of an agent stands for its folder. */
  readonly templateFile: string;
  readonly parameters: GivenValues;
  /** Undefined for a template that makes its own repository when it runs. */
  readonly repository: string | undefined;
  readonly baseBranch: string;
  readonly config?: ExecutorConfig;
}

export interface CodeStart {
  readonly definition: Definition;
  readonly input: Json;
}

export async function prepareStart(request: CodeStartRequest): Promise<CodeStart> {
  const { parameters, repository, baseBranch, config = EXECUTOR_DEFAULTS } = request;
  const template = withFolder(request.template, dirname(resolve(request.templateFile)));
  const bound = bindTemplate(template, parameters);
  const folder = repository === undefined ? undefined : await checkRepository(repository, baseBranch);
  const settings = codeSettings(template, config, folder);
  checkAgents(template, configuredAgents(settings));
  const input: CodeInput = { ...bound, baseBranch, settings };
  return { definition: compileTemplate(template, compileOptions(config)), input: input as unknown as Json };
}

/** The top folder of the repository. Throws unless code workflows can run on it. */
async function checkRepository(path: string, baseBranch: string): Promise<string> {
  await using opened = await OpenRepository.open(path);
  await opened.preflight(baseBranch);
  return opened.repository.folder;
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
