import type { Command } from "commander";

import type { TemplateOptions } from "../code/template-request.ts";

export type { TemplateOptions };

/** Adds the options of commands that read a template. */
export function withTemplateOptions(command: Command): Command {
  return command
    .argument("<template>", "a template of tasks, in YAML")
    .option("--param <name=value>", "a parameter of the template; may be repeated", collect)
    .option("--repo <folder>", "the repository (default: the one around the current folder)")
    .option("--base <branch>", "the branch that receives the work (default: main)")
    .option("--config <file>", "an executor configuration, in YAML");
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}
