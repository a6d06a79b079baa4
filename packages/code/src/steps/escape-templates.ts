import type { Json } from "@segno/kernel";

/** Escapes `${`, so that a text of a person, an agent or a log is data in a step that is created at run time (DATA-5). */
export function escapeTemplates(value: unknown): Json {
  // A function, because `$$` in a replacement text stands for one `$`.
  if (typeof value === "string") return value.replaceAll("${", () => "$${");
  if (Array.isArray(value)) return value.map(escapeTemplates);
  if (typeof value !== "object" || value === null) return value as Json;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, escapeTemplates(item)]),
  );
}
