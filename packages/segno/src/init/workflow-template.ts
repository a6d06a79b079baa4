/** One of the first workflows that `segno init` writes. */
export interface WorkflowTemplate {
  /** Its purpose, in a few words. */
  readonly about: string;
  /** Present if the template is an npm project: the keys of its files are their paths, and the first one has the workflow. */
  readonly isProject?: true;
  /** Its files by what follows the workflow's name, `.yaml` first. `NAME` in a file stands for that name. */
  readonly files: Readonly<Record<string, string>>;
  /** Further commands to try after the first run: the words of a `segno` command and what it does. */
  readonly afterwards: readonly (readonly [words: string, about: string])[];
}
