// The folder that holds all workspaces: `.segno/worktrees` in the repository, or another that the user chose.
//
//   WR1. No folder between the repository and a workspace is a link: a committed link at `.segno` would make the engine
//        write and delete elsewhere.
//   WR2. The root does not appear in the status of the repository.

import { lstat, mkdir, realpath, writeFile } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { CodeError } from "../errors/code-error.ts";
import type { WorkspaceIdParts } from "./workspace-id.ts";

const DEFAULT_ROOT = join(".segno", "worktrees");

export class WorkspaceRoot {
  readonly #repositoryFolder: string;
  readonly #root: string;

  /** A relative root is inside the folder of the repository. */
  constructor(repositoryFolder: string, root: string = DEFAULT_ROOT) {
    this.#repositoryFolder = repositoryFolder;
    this.#root = resolve(repositoryFolder, root);
  }

  /** Creates the folder of an execution, and returns its path. */
  async prepare({ execution }: Pick<WorkspaceIdParts, "execution">): Promise<string> {
    return await this.#descend(await this.#top(), [execution]);
  }

  /** The folder of an execution; undefined if it does not exist. */
  async find({ execution }: WorkspaceIdParts): Promise<string | undefined> {
    if ((await lstat(join(this.#root, execution)).catch(() => undefined)) === undefined) return undefined;
    return await this.prepare({ execution });
  }

  /** The root with all links above the repository resolved. */
  async #top(): Promise<string> {
    const inside = relative(this.#repositoryFolder, this.#root);
    if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      await mkdir(this.#root, { recursive: true });
      return await realpath(this.#root);
    }
    const [first = "", ...rest] = inside.split(sep);
    const top = await this.#descend(this.#repositoryFolder, [first]);
    const root = await this.#descend(top, rest);
    await hide(first === ".segno" ? top : root);
    return root;
  }

  /** WR1. */
  async #descend(from: string, names: readonly string[]): Promise<string> {
    let path = from;
    for (const name of names) {
      path = join(path, name);
      await mkdir(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      });
      if (!(await lstat(path)).isDirectory())
        throw new CodeError("WORKSPACE_ROOT_UNSAFE", `${path} must be a folder, and is a link or a file`);
    }
    return path;
  }
}

/** WR2. The file ignores itself, too. */
async function hide(folder: string): Promise<void> {
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}
