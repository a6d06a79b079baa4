// What a first workflow is called: its file and the name in it.

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/u;
const NAME_MAX = 128;
const NAME_FALLBACK = "first";
/** Words that mean something else where YAML finds them. */
const YAML_WORD = /^(?:true|false|null|yes|no|on|off|y|n)$/iu;

/** Why this is no name, if it is none. */
export function nameProblem(name: string): string | undefined {
  if (NAME.test(name) && name.length <= NAME_MAX) return undefined;
  return `a name has letters, digits, _, . and -, begins with a letter, a digit or _, and has at most ${NAME_MAX} characters`;
}

/** After the folder where it is written, as far as that can be a name. */
export function nameFrom(folderName: string): string {
  const name = folderName
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]+/gu, "-")
    .replaceAll(/^[.-]+|[.-]+$/gu, "");
  return nameProblem(name) === undefined ? name : NAME_FALLBACK;
}

/** As YAML takes it for text. */
export function yamlName(name: string): string {
  return /^[A-Za-z_][\w-]*$/u.test(name) && !YAML_WORD.test(name) ? name : JSON.stringify(name);
}
