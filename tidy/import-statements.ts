// Reads the imports of a TypeScript file from its text. A tool formats the code, so every statement begins a line.

const STATEMENTS: readonly RegExp[] = [
  /(?:^|;)\s*(?:import|export)\b[^;"']*?\bfrom\s+["']([^"']+)["']/gmu,
  /(?:^|;)\s*import\s+["']([^"']+)["']/gmu,
  /\b(?:import|require)\(\s*["']([^"']+)["']/gu,
  /\bimport\(\s*`([^`]+)`/gu,
];

export function importedNames(source: string): string[] {
  const code = withoutComments(source);
  return STATEMENTS.flatMap((statement) => [...code.matchAll(statement)].map((match) => match[1]!));
}

/** Comments become blanks. Good enough to look for words: it does not know of comment signs inside strings. */
export function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//gu, " ").replaceAll(/(^|\s)\/\/.*$/gmu, "$1");
}

/** `@scope/name` of `@scope/name/part`; null for a file of one's own and for what Node brings. */
export function packageName(name: string): string | null {
  if (name.startsWith(".") || name.startsWith("node:")) return null;
  return name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
}
