// Options for git that name the files of a folder and an index of ours.

export interface IndexOptions {
  readonly env: { readonly GIT_INDEX_FILE: string; readonly GIT_WORK_TREE: string };
  readonly cwd: string;
}
