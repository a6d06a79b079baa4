// `segno init`: writes a first workflow that runs unchanged.
//
//   I1. It writes no file before the last question is answered, so that Ctrl-C leaves nothing behind.

import { Option } from "commander";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { InitOptions } from "../init/init-settings.ts";
import { TEMPLATE_NAMES } from "../init/template-names.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { CommandRegistry } from "./command-registry.ts";

const FOLDER_DEFAULT = ".";

export function addInit(registry: CommandRegistry): void {
  registry
    .add("init", ["segno init", "segno init nightly --template map", "segno init shop --typescript --yes"])
    .description("write a first workflow that runs without changes; asks for its name and template")
    .argument("[folder]", "the folder to write to (default: the current one)")
    .option("-y, --yes", "ask nothing and accept the defaults")
    .option("--name <name>", "the name of the workflow (default: the name of the folder)")
    .option("--typescript", "write a TypeScript project with a typed workflow and its test (the template builder)")
    .addOption(new Option("--template <kind>", "the template").choices(TEMPLATE_NAMES))
    .action(registry.handler(init));
}

async function init(given: string | undefined, options: InitOptions, terminal: Terminal): Promise<ExitCode> {
  const { nameProblem } = await import("../init/workflow-name.ts");
  const { readSettings } = await import("../init/init-settings.ts");
  const folder = given ?? FOLDER_DEFAULT;
  const problem = options.name === undefined ? undefined : nameProblem(options.name);
  if (problem !== undefined) throw new UsageError(`--name ${options.name}: ${problem}`);
  const settings = await readSettings(folder, options, terminal);
  if (settings === undefined) {
    terminal.report("nothing was written\n");
    return EXIT_CODES.interrupted;
  }
  const { writeFirstFiles } = await import("../init/first-files.ts");
  const { TEMPLATES } = await import("../init/templates.ts");
  const { initReport } = await import("../reports/init-report.ts");
  const written = writeFirstFiles(folder, settings.name, TEMPLATES[settings.template]);
  terminal.print(`${initReport(folder, settings, written, terminal).join("\n")}\n`);
  return EXIT_CODES.ok;
}
