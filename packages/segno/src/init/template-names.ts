import type { TemplateName } from "./template.ts";

/** Apart from the templates themselves: `--help` names them and needs nothing else of them. */
export const TEMPLATE_NAMES: readonly TemplateName[] = ["commands", "typescript", "map", "approval"];
