// The settings of `segno init`: from options, or from questions at the terminal.

import { basename, resolve } from "node:path";

import { canAsk, NoAnswer, Prompt, type PromptResult } from "../terminal/prompt.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../errors/usage-error.ts";
import { TEMPLATE_NAMES, type TemplateName } from "./template-names.ts";
import { TEMPLATE_DEFAULT, TEMPLATES } from "./templates.ts";
import { nameFrom, nameProblem } from "./workflow-name.ts";

export interface InitOptions {
  readonly yes?: boolean;
  readonly name?: string;
  readonly template?: TemplateName;
  /** The same as the template `builder`. */
  readonly typescript?: boolean;
}

export interface InitSettings {
  readonly name: string;
  readonly template: TemplateName;
}

/** Returns nothing if the user ended the questions. */
export async function readSettings(
  folder: string,
  given: InitOptions,
  terminal: Terminal,
): Promise<InitSettings | undefined> {
  if (given.typescript === true && given.template !== undefined)
    throw new UsageError("--typescript and --template exclude each other; --typescript is the template `builder`");
  const options: InitOptions = given.typescript === true ? { ...given, template: "builder" } : given;
  const name = options.name ?? nameFrom(basename(resolve(folder)));
  const template = options.template ?? TEMPLATE_DEFAULT;
  if (options.yes === true) return { name, template };
  if (!canAsk())
    throw new UsageError("the command cannot ask questions without a terminal; --yes accepts the defaults");
  try {
    return await askSettings({ name, template }, options, terminal);
  } catch (error) {
    if (error instanceof NoAnswer) return undefined;
    throw error;
  }
}

/** Asks only for settings that no option gives. */
async function askSettings(suggested: InitSettings, options: InitOptions, terminal: Terminal): Promise<InitSettings> {
  using prompt = new Prompt(terminal.reportPalette);
  const name =
    options.name ??
    (await prompt.ask({ text: "What is the name of the workflow?", standard: suggested.name, read: readName }));
  if (options.template !== undefined) return { name, template: options.template };
  for (const [place, each] of TEMPLATE_NAMES.entries())
    terminal.report(`  ${place + 1}  ${each.padEnd(10)}  ${terminal.reportPalette.quiet(TEMPLATES[each].about)}\n`);
  const template = await prompt.ask({
    text: "Which template?",
    standard: suggested.template,
    read: readTemplate,
  });
  return { name, template: template as TemplateName };
}

function readName(answer: string): PromptResult {
  const text = nameProblem(answer);
  return text === undefined ? { kind: "value", value: answer } : { kind: "problem", text };
}

/** Accepts the number of a template, or its name. */
function readTemplate(answer: string): PromptResult {
  const value = TEMPLATE_NAMES[Number(answer) - 1] ?? TEMPLATE_NAMES.find((each) => each === answer.toLowerCase());
  return value === undefined
    ? { kind: "problem", text: `expected 1 to ${TEMPLATE_NAMES.length}, or one of ${TEMPLATE_NAMES.join(", ")}` }
    : { kind: "value", value };
}
