// Reads the template, its parameters and the configuration of a code workflow, and checks everything before anything is
// created.

import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

import {
  createSampleRepository,
  loadExecutorConfig,
  loadTemplate,
  parseParameters,
  prepareStart,
  type CodeStart,
  type Template,
} from "@segno/code";
import { SystemEnvironment } from "@segno/engine";
import { CheckedInput, ContractError, createSchemaCheck, readContractFile } from "@segno/contract";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { reportProblems } from "../reports/problem-report.ts";
import type { StartRequest } from "../sessions/start-request.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface TemplateOptions {
  readonly param?: readonly string[];
  readonly repo?: string;
  readonly base?: string;
  readonly config?: string;
}

const BASE_DEFAULT = "main";
const SAMPLES = ".segno/samples";

/** Whether a template may make its sample repository. */
export interface SampleUse {
  readonly mayCreateSample: boolean;
  /** The id that the execution will have; undefined if none is started. */
  readonly executionId?: string;
}

/** Reports every problem of the template, and then returns the exit code. */
export async function readTemplateStart(
  file: string,
  options: TemplateOptions & SampleUse,
  terminal: Terminal,
): Promise<CodeStart | ExitCode> {
  const template = await loadReported(file, terminal, (text) => loadTemplate({ text, file }));
  if (template === undefined) return EXIT_CODES.invalid;
  const { config: configFile, base = BASE_DEFAULT, param = [], executionId } = options;
  const config =
    configFile === undefined
      ? undefined
      : await loadReported(configFile, terminal, (text) => loadExecutorConfig(text, configFile));
  if (configFile !== undefined && config === undefined) return EXIT_CODES.invalid;
  const repository = findRepository(template, file, options, terminal);
  return await prepareStart({
    template,
    templateFile: file,
    parameters: parseParameters(template, param),
    ...(repository === undefined ? {} : { repository }),
    baseBranch: base,
    ...(executionId === undefined ? {} : { executionId }),
    ...(config === undefined ? {} : { config }),
  });
}

/** A template that is an example brings its own repository. It is made last, when nothing else can be refused. */
function findRepository(
  { sample, name }: Template,
  file: string,
  { repo, mayCreateSample }: TemplateOptions & SampleUse,
  terminal: Terminal,
): string | (() => Promise<string>) | undefined {
  if (repo !== undefined || sample === undefined) return repo ?? ".";
  if (!mayCreateSample) return undefined;
  return async () => {
    const source = join(dirname(resolve(file)), sample);
    const folder = await createSampleRepository(source, resolve(SAMPLES, name));
    terminal.report(`created the sample repository ${safeText(relative(process.cwd(), folder))}\n`);
    return folder;
  };
}

/** An id as the engine makes them. */
export function newExecutionId(): string {
  return new SystemEnvironment().id();
}

/** A definition and an input that need no further check. */
export function toStartRequest({ definition, input }: CodeStart): StartRequest {
  const checked = CheckedInput.check(definition, input, createSchemaCheck());
  if (!(checked instanceof CheckedInput)) throw new Error("the input of a template fits its definition");
  return { definition, workflow: definition, input: checked, called: [] };
}

async function loadReported<Value>(
  file: string,
  terminal: Terminal,
  load: (text: Uint8Array) => Value,
): Promise<Value | undefined> {
  const text = readContractFile(file);
  try {
    return load(text);
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    const source = readFileSync(file, "utf8");
    reportProblems({ kind: "problems", file, problems: error.problems, text: source }, terminal);
    return undefined;
  }
}
