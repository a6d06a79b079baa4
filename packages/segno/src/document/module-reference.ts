/** A module on the command line: `file.ts`, or `file.ts#export`. */
export interface ModuleReference {
  readonly file: string;
  readonly export: string | undefined;
}

/** Returns nothing for any other file. */
export function moduleReference(word: string): ModuleReference | undefined {
  const match = /^(?<file>.+\.[cm]?[jt]s)(?:#(?<name>.+))?$/su.exec(word);
  return match === null ? undefined : { file: match.groups!["file"]!, export: match.groups!["name"] };
}
