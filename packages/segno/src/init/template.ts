// First workflows, one of each kind. Each is small, says in comments what it shows, and runs as it stands.

import { APPROVAL } from "./templates/approval.ts";
import { COMMANDS } from "./templates/commands.ts";
import { MAP } from "./templates/map.ts";
import { TYPESCRIPT } from "./templates/typescript.ts";

export interface WorkflowTemplate {
  /** What it is good for, in a few words. */
  readonly about: string;
  /** Its files by what follows the workflow's name, `.yaml` first; `NAME` in them stands for that name. */
  readonly files: Readonly<Record<string, string>>;
  /** What to type once it runs, beside the usual: words of a `segno` command and what it does. */
  readonly afterwards: readonly (readonly [words: string, about: string])[];
}

export type TemplateName = "commands" | "typescript" | "map" | "approval";

export const TEMPLATES: Readonly<Record<TemplateName, WorkflowTemplate>> = {
  commands: COMMANDS,
  typescript: TYPESCRIPT,
  map: MAP,
  approval: APPROVAL,
};

export const TEMPLATE_DEFAULT: TemplateName = "commands";
