// The templates of `segno init`, one of each kind. Each is small, explains itself in comments, and runs unchanged.

import type { TemplateName } from "./template-names.ts";
import { APPROVAL } from "./templates/approval.ts";
import { BUILDER } from "./templates/builder.ts";
import { COMMANDS } from "./templates/commands.ts";
import { MAP } from "./templates/map.ts";
import { TYPESCRIPT } from "./templates/typescript.ts";
import type { WorkflowTemplate } from "./workflow-template.ts";

export const TEMPLATES: Readonly<Record<TemplateName, WorkflowTemplate>> = {
  commands: COMMANDS,
  typescript: TYPESCRIPT,
  map: MAP,
  approval: APPROVAL,
  builder: BUILDER,
};

export const TEMPLATE_DEFAULT: TemplateName = "commands";
