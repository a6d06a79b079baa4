// The name of a first workflow, which is also the name of its file.

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/u;
const NAME_MAX = 128;
const NAME_FALLBACK = "first";
/** Words that YAML does not read as strings. */
const YAML_WORD = /^(?:true|false|null|yes|no|on|off|y|n)$/iu;

/** The reason why this is not a valid name, if it is not. */
export function nameProblem(name: string): string | undefined {
  if (NAME.test(name) && name.length <= NAME_MAX) return undefined;
  return `a name has letters, digits, _, . and -, begins with a letter, a digit or _, and has at most ${NAME_MAX} characters`;
}

/** Derives a name from the folder of the workflow. */
export function nameFrom(folderName: string): string {
  const name = folderName
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]+/gu, "-")
    .replaceAll(/^[.-]+|[.-]+$/gu, "");
  return nameProblem(name) === undefined ? name : NAME_FALLBACK;
}

/** Quotes the name if YAML would not read it as a string. */
export function yamlName(name: string): string {
  return /^[A-Za-z_][\w-]*$/u.test(name) && !YAML_WORD.test(name) ? name : JSON.stringify(name);
}
