// `segno init`: asks a little, and writes a first workflow that runs as it stands.
//
//   I1. Nothing is written before the last question is answered, so that Ctrl-C leaves nothing behind.

import { basename, join, resolve } from "node:path";

import { commandName } from "../journal/journal-options.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { writeFirstFiles, type WrittenFiles } from "../init/first-files.ts";
import { TEMPLATE_DEFAULT, TEMPLATES } from "../init/templates.ts";
import { TEMPLATE_NAMES, type TemplateName } from "../init/template-names.ts";
import { nameFrom, nameProblem } from "../init/workflow-name.ts";
import { canAsk, NoAnswer, Prompt, type PromptResult } from "../terminal/prompt.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";

export interface InitOptions {
  readonly yes?: boolean;
  readonly name?: string;
  readonly template?: TemplateName;
}

interface InitSettings {
  readonly name: string;
  readonly template: TemplateName;
}

const HERE = ".";

export async function init(given: string | undefined, options: InitOptions, terminal: Terminal): Promise<ExitCode> {
  const folder = given ?? HERE;
  const problem = options.name === undefined ? undefined : nameProblem(options.name);
  if (problem !== undefined) throw new UsageError(`--name ${options.name}: ${problem}`);
  const wanted = await readSettings(folder, options, terminal);
  if (wanted === undefined) {
    terminal.report("nothing was written\n");
    return EXIT_CODES.interrupted;
  }
  const written = writeFirstFiles(folder, wanted.name, TEMPLATES[wanted.template]);
  terminal.print(
    `${[...writtenLines(folder, written, terminal), "", ...nextLines(folder, wanted, terminal)].join("\n")}\n`,
  );
  return EXIT_CODES.ok;
}

/** Nothing when whoever was asked did not answer. */
async function readSettings(
  folder: string,
  options: InitOptions,
  terminal: Terminal,
): Promise<InitSettings | undefined> {
  const name = options.name ?? nameFrom(basename(resolve(folder)));
  const template = options.template ?? TEMPLATE_DEFAULT;
  if (options.yes === true) return { name, template };
  if (!canAsk())
    throw new UsageError("this is no terminal, so nothing can be asked; --yes takes the answers that it would suggest");
  try {
    return await askSettings({ name, template }, options, terminal);
  } catch (error) {
    if (error instanceof NoAnswer) return undefined;
    throw error;
  }
}

/** What the options say is not asked. */
async function askSettings(suggested: InitSettings, options: InitOptions, terminal: Terminal): Promise<InitSettings> {
  using prompt = new Prompt(terminal.reportPalette);
  const name =
    options.name ??
    (await prompt.ask({ text: "What is the workflow called?", standard: suggested.name, read: readName }));
  if (options.template !== undefined) return { name, template: options.template };
  for (const [place, each] of TEMPLATE_NAMES.entries())
    terminal.report(`  ${place + 1}  ${each.padEnd(10)}  ${terminal.reportPalette.quiet(TEMPLATES[each].about)}\n`);
  const template = await prompt.ask({
    text: "What is it made of?",
    standard: suggested.template,
    read: readTemplate,
  });
  return { name, template: template as TemplateName };
}

function readName(answer: string): PromptResult {
  const text = nameProblem(answer);
  return text === undefined ? { kind: "value", value: answer } : { kind: "problem", text };
}

/** By its number or its name. */
function readTemplate(answer: string): PromptResult {
  const value = TEMPLATE_NAMES[Number(answer) - 1] ?? TEMPLATE_NAMES.find((each) => each === answer.toLowerCase());
  return value === undefined
    ? { kind: "problem", text: `expected 1 to ${TEMPLATE_NAMES.length}, or one of ${TEMPLATE_NAMES.join(", ")}` }
    : { kind: "value", value };
}

function writtenLines(
  folder: string,
  { files, isIgnoreChanged }: WrittenFiles,
  { palette }: Terminal,
): readonly string[] {
  const place = (file: string): string => safeText(join(folder, file));
  return [
    ...files.map((file) => `${palette.good("wrote")} ${place(file)}`),
    ...(isIgnoreChanged ? [`${palette.good("wrote")} ${place(".gitignore")}: git leaves out .segno/`] : []),
  ];
}

function nextLines(folder: string, { name, template }: InitSettings, { palette }: Terminal): readonly string[] {
  const command = commandName();
  const contract = shellWord(`${name}.yaml`);
  const usual: readonly (readonly [string, string])[] = [
    [`plan ${contract}`, "what it would do"],
    [`run ${contract}`, "do it"],
  ];
  const commands = [...usual, ...TEMPLATES[template].afterwards];
  const width = Math.max(...commands.map(([words]) => words.length));
  const lines = commands.map(
    ([words, about]) =>
      `  ${palette.accent(`${command} ${words}`)}${" ".repeat(width - words.length)}  ${palette.quiet(about)}`,
  );
  const enter = resolve(folder) === process.cwd() ? [] : [`  ${palette.accent(`cd ${safeText(shellWord(folder))}`)}`];
  return ["next:", ...enter, ...lines];
}
