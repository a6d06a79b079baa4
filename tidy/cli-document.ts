// docs/reference/cli.md, from the help texts of the command.

import { createCommand } from "../packages/segno/src/cli.ts";
import { EXIT_CODES } from "../packages/segno/src/errors/exit-code.ts";

type Command = ReturnType<typeof createCommand>;
type Help = ReturnType<Command["createHelp"]>;

export function cliDocument(): string {
  const program = createCommand("", { code: EXIT_CODES.ok });
  const help = program.createHelp();
  const { Examples: examples = [], "Exit codes": exitCodes = [] } = textsAfterHelp(program);
  return [
    "# The command",
    "",
    "`npm run generate` writes this document from the help texts of the command (`packages/segno/src/commands`).",
    "`segno <command> --help` shows the same for one command.",
    "",
    "```sh",
    ...examples,
    "```",
    "",
    "## Options of every command",
    ...tableText("option", optionRows(program, help)),
    "",
    "## Exit codes",
    ...tableText("code", exitCodes.map(splitExitCode)),
    ...groupsOf(program, help).flatMap(([heading, commands]) => [
      "",
      `## ${heading}`,
      ...commands.flatMap((command) => commandText(command, help, "segno")),
    ]),
    "",
  ].join("\n");
}

/** The commands under the headings of the help text, in its order. */
function groupsOf(program: Command, help: Help): readonly (readonly [heading: string, commands: readonly Command[]])[] {
  const groups = new Map<string, Command[]>();
  for (const command of commandsOf(program, help)) {
    const heading = command.helpGroup().replace(/:$/u, "");
    groups.set(heading, [...(groups.get(heading) ?? []), command]);
  }
  return [...groups];
}

/** Without hidden commands, and without the command `help`, which every group has. */
function commandsOf(command: Command, help: Help): readonly Command[] {
  return help.visibleCommands(command).filter((each) => each.name() !== "help");
}

function commandText(command: Command, help: Help, parent: string): readonly string[] {
  const path = `${parent} ${command.name()}`;
  const inner = commandsOf(command, help);
  const { Examples: examples = [] } = textsAfterHelp(command);
  return [
    "",
    `### ${path}`,
    "",
    sentence(command.description()),
    "",
    "```sh",
    inner.length === 0 ? `${parent} ${help.subcommandTerm(command)}` : `${parent} ${command.name()} ${command.usage()}`,
    "```",
    ...tableText("argument", argumentRows(command, help)),
    ...tableText("option", optionRows(command, help)),
    "",
    "Examples:",
    "",
    "```sh",
    ...examples,
    "```",
    ...inner.flatMap((each) => commandText(each, help, path)),
  ];
}

type Row = readonly [word: string, meaning: string];

function argumentRows(command: Command, help: Help): readonly Row[] {
  return command.registeredArguments.map((each) => [each.name(), help.argumentDescription(each)]);
}

/** Every command has `--help`, so that only the table of all commands lists it. */
function optionRows(command: Command, help: Help): readonly Row[] {
  return help
    .visibleOptions(command)
    .filter(({ long }) => command.parent === null || long !== "--help")
    .map((each) => [each.flags, help.optionDescription(each)]);
}

function splitExitCode(line: string): Row {
  const [code = "", ...words] = line.split(/\s+/u);
  return [code, words.join(" ")];
}

function tableText(title: string, rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return [];
  return [
    "",
    `| ${title} | meaning |`,
    "|---|---|",
    ...rows.map(([word, meaning]) => `| \`${word}\` | ${cell(meaning)} |`),
  ];
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The lines behind the options, by the title above them: `Examples`, and `Exit codes` of the program. */
function textsAfterHelp(command: Command): Readonly<Record<string, readonly string[]>> {
  let shown = "";
  command.configureOutput({ writeOut: (text) => (shown += text), getOutHasColors: () => false });
  command.outputHelp();
  const texts: Record<string, string[]> = {};
  let lines: string[] = [];
  for (const line of shown.slice(shown.indexOf("\nExamples:\n")).split("\n")) {
    if (/^\S.*:$/u.test(line)) texts[line.slice(0, -1)] = lines = [];
    else if (line.trim() !== "") lines.push(line.trim());
  }
  return texts;
}
