// The bare repository of a forge, and its access by git over HTTP (`git http-backend`).

import { spawn, spawnSync } from "node:child_process";
import { cpSync, lstatSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importCommit, plainEnvironment, plainGit } from "../git/plain-git.ts";
import { sampleTemplate } from "../git/sample-templates.ts";

const NAME = "forge";

export class ForgeRepository {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "segno-forge-")));
  readonly folder: string = join(this.root, "sample.git");

  /** Pairs of commits that can be merged; that never changes. */
  readonly #mergeable = new Set<string>();

  constructor() {
    const template = sampleTemplate("forge", (folder) => {
      plainGit(["init", "--quiet", "--bare", "--initial-branch=main"], { cwd: folder, name: NAME });
      rmSync(join(folder, "hooks"), { recursive: true });
    });
    cpSync(template, this.folder, { recursive: true });
  }

  /** Gets the first commits of `main` from a new repository of a user. */
  copyMain(repository: string): void {
    const copy = (from: string, to: string): void =>
      cpSync(join(repository, ".git", from), join(this.folder, to), { recursive: true });
    copy("objects", "objects");
    copy("refs/heads/main", "refs/heads/main");
  }

  git(...args: readonly string[]): string {
    return plainGit(args, { cwd: this.folder, name: NAME });
  }

  head(branch: string): string | undefined {
    // Nobody packs the refs of this repository, so git is not needed to read one.
    const file = join(this.folder, "refs/heads", branch);
    return lstatSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, "utf8").trim() : undefined;
  }

  /** Makes a commit on a branch, as a push from elsewhere would do it. */
  commit(
    branch: string,
    files: Readonly<Record<string, string>>,
    base: string | undefined = this.head(branch),
  ): string {
    return importCommit({ branch, base, files }, { cwd: this.folder, name: NAME });
  }

  isMergeable(source: string, target: string): boolean {
    const onto = this.head(target) ?? target;
    const key = `${onto} ${source}`;
    if (this.#mergeable.has(key)) return true;
    const args = [`--git-dir=${this.folder}`, "merge-tree", "--write-tree", onto, source];
    const isMergeable = spawnSync("git", args, { env: plainEnvironment(NAME) }).status === 0;
    // A commit that is missing may be pushed later.
    if (isMergeable) this.#mergeable.add(key);
    return isMergeable;
  }

  merge(source: string, target: string): string {
    const onto = this.head(target)!;
    const tree = this.git("merge-tree", "--write-tree", onto, source);
    const commit = this.git("commit-tree", tree, "-p", onto, "-p", source, "-m", "Merge pull request");
    this.git("update-ref", `refs/heads/${target}`, commit, onto);
    return commit;
  }

  /** Answers a request of the git program. */
  serve(request: IncomingMessage, response: ServerResponse, path: string, query: string): void {
    const child = spawn("git", ["http-backend"], {
      env: {
        ...plainEnvironment(NAME),
        GIT_PROJECT_ROOT: this.root,
        GIT_HTTP_EXPORT_ALL: "1",
        REMOTE_USER: "x-access-token",
        REQUEST_METHOD: request.method,
        PATH_INFO: path,
        QUERY_STRING: query,
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
        GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      },
    });
    request.pipe(child.stdin);
    child.stdin.on("error", () => {});
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("close", () => writeCgi(response, Buffer.concat(chunks)));
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function writeCgi(response: ServerResponse, output: Buffer): void {
  const end = output.indexOf("\r\n\r\n");
  const headers = output
    .subarray(0, Math.max(0, end))
    .toString("utf8")
    .split("\r\n")
    .map((line) => line.split(": ") as [string, string]);
  for (const [name, value] of headers)
    if (name === "Status") response.statusCode = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  response.end(output.subarray(end + 4));
}
