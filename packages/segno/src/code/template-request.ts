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

/** Reports every problem of the template, and then returns the exit code. */
export async function readTemplateStart(
  file: string,
  options: TemplateOptions,
  terminal: Terminal,
  { createsSample }: { readonly createsSample: boolean },
): Promise<CodeStart | ExitCode> {
  const template = await loadReported(file, terminal, (text) => loadTemplate({ text, file }));
  if (template === undefined) return EXIT_CODES.invalid;
  const { config: configFile, repo, base = BASE_DEFAULT, param = [] } = options;
  const config =
    configFile === undefined
      ? undefined
      : await loadReported(configFile, terminal, (text) => loadExecutorConfig(text, configFile));
  if (configFile !== undefined && config === undefined) return EXIT_CODES.invalid;
  const common = {
    template,
    templateFile: file,
    parameters: parseParameters(template, param),
    baseBranch: base,
    ...(config === undefined ? {} : { config }),
  };
  if (repo !== undefined || template.sample === undefined)
    return await prepareStart({ ...common, repository: repo ?? "." });
  // A problem is found before the sample is made.
  const planned = await prepareStart({ ...common, repository: undefined });
  if (!createsSample) return planned;
  return await prepareStart({ ...common, repository: await sampleRepository(template, file, terminal) });
}

/** A template that is an example brings its own repository. */
async function sampleRepository(template: Template, file: string, terminal: Terminal): Promise<string> {
  const source = join(dirname(resolve(file)), template.sample ?? "");
  const folder = await createSampleRepository(source, resolve(SAMPLES, template.name));
  terminal.report(`created the sample repository ${safeText(relative(process.cwd(), folder))}\n`);
  return folder;
}

/** A definition and an input that need no further check. */
export function toStartRequest({ definition, input }: CodeStart): StartRequest {
  const checked = CheckedInput.check(definition, input, createSchemaCheck());
  if (!(checked instanceof CheckedInput)) throw new Error("the input of a template fits its definition");
  return { definition, input: checked, called: [] };
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
