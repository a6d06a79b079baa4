export type TemplateName = "commands" | "typescript" | "map" | "approval" | "builder";

/** Separate from the templates themselves, because `--help` needs only the names. */
export const TEMPLATE_NAMES: readonly TemplateName[] = ["commands", "typescript", "map", "approval", "builder"];
