// The repository on GitHub, by git over HTTPS.
//
//   RR1. Git runs on our own git directory (`object-git.ts`), so no setting of the user's repository can send the token or
//        the commits to another address. Redirects are not followed, and only HTTPS is spoken (HTTP on the machine itself).
//   RR2. The token is in a setting that holds for the address of this repository only. It is in the environment of the
//        process: not in its arguments, not in the address, not in a file.
//   RR3. A push never discards work of the remote branch: it is a fast-forward, or it creates the branch, or it replaces a
//        head that the engine itself made of its own work and the target.

import { requireText, type GitResult } from "../git/git.ts";
import type { GitSetting } from "../git/git-environment.ts";
import type { ObjectGit } from "../git/object-git.ts";
import { isOid, type Oid } from "../git/oid.ts";
import { errorText } from "./error-text.ts";
import { ForgeError, ForgeLimitError } from "./forge-error.ts";
import { checkGitHubOptions, gitUrl, readToken, type GitHubOptions } from "./github-options.ts";

const LIMITED = /returned error: 429\b/iu;
const LIMITED_MS = 60_000;
const UNAUTHORIZED = /authentication failed|could not read (?:username|password)|returned error: (?:401|403)\b/iu;
/** GitHub answers 404 if the token cannot read the repository, and 301 if the repository has another name now. */
const REFUSED = /returned error: [34]\d\d\b|repository .*not found/iu;

export class RemoteRepository {
  readonly url: string;
  readonly #objects: ObjectGit;
  readonly #options: GitHubOptions;

  constructor(objects: ObjectGit, options: GitHubOptions) {
    checkGitHubOptions(options);
    this.#objects = objects;
    this.#options = options;
    this.url = gitUrl(options);
  }

  /** The head of a branch; undefined if the branch does not exist. */
  async head(branch: string): Promise<Oid | undefined> {
    const args = ["ls-remote", "--refs", this.url, `refs/heads/${branch}`];
    const lines = requireText(args, await this.#run(args)).split("\n");
    // The name is a pattern that also matches `x/refs/heads/<branch>`.
    const line = lines.find((each) => each.endsWith(`\trefs/heads/${branch}`));
    const oid = line?.slice(0, line.indexOf("\t")) ?? "";
    return isOid(oid) ? oid : undefined;
  }

  /**
   * Moves a branch to a commit, or creates it; git sends nothing if the branch is there already. Throws if the branch has
   * commits that the commit does not contain.
   */
  async push(branch: string, commit: Oid): Promise<void> {
    await this.#push([`${commit}:refs/heads/${branch}`], branch);
  }

  /** Moves a branch from one commit to another that does not contain it. */
  async replace(branch: string, from: Oid, to: Oid): Promise<void> {
    await this.#push([`--force-with-lease=refs/heads/${branch}:${from}`, `${to}:refs/heads/${branch}`], branch);
  }

  /** Creates a branch. An existing one is left as it is. */
  async create(branch: string, commit: Oid): Promise<void> {
    const args = [`--force-with-lease=refs/heads/${branch}:`, `${commit}:refs/heads/${branch}`];
    await this.#push(args, branch).catch(async (error: unknown) => {
      // It exists already, or another task of the workflow has created it meanwhile.
      if ((await this.head(branch)) === undefined) throw error;
    });
  }

  /** Deletes a branch if it still has one of these heads. */
  async delete(branch: string, expectedHeads: readonly Oid[]): Promise<void> {
    const head = await this.head(branch);
    if (head === undefined || !expectedHeads.includes(head)) return;
    await this.#push([`--force-with-lease=refs/heads/${branch}:${head}`, `:refs/heads/${branch}`], branch);
  }

  /** Fetches a commit. `known` are commits whose history does not have to be sent. */
  async fetch(commit: Oid, known: readonly Oid[]): Promise<void> {
    const tips = known.map((oid) => `--negotiation-tip=${oid}`);
    const args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", ...tips, this.url, commit];
    requireText(args, await this.#run(args));
  }

  async #push(args: readonly string[], branch: string): Promise<void> {
    const options = args.filter((each) => each.startsWith("--"));
    const refspecs = args.filter((each) => !each.startsWith("--"));
    const all = ["push", "--porcelain", "--no-verify", ...options, this.url, ...refspecs];
    const result = await this.#run(all);
    if (result.exitCode === 0) return;
    const rejected = result.stdout
      .toString("utf8")
      .split("\n")
      .find((line) => line.startsWith("!"));
    if (rejected !== undefined)
      throw new ForgeError(
        "FORGE_REFUSED",
        `GitHub did not accept \`${branch}\`: ${rejected.split("\t").at(-1)}; merge the commits of the remote branch first`,
      );
    requireText(all, result);
  }

  async #run(args: readonly string[]): Promise<GitResult> {
    const env = { GIT_ALLOW_PROTOCOL: new URL(this.url).protocol.slice(0, -1) };
    const token = await readToken(this.#options);
    const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
    const result = await this.#objects.run(args, { env, settings: this.#settings(basic) });
    // A server can write any text to the standard error of git.
    const stderr = errorText(result.stderr, [token, basic]);
    // A rejected push ends with 1; 128 means that git could not talk to the server.
    if (result.exitCode === 128) throw toRemoteError(`git ${args[0]} with ${this.url}`, stderr);
    return { ...result, stderr };
  }

  #settings(basic: string): readonly GitSetting[] {
    return [
      [`http.${this.url}.extraHeader`, `Authorization: Basic ${basic}`],
      ["http.followRedirects", "false"],
      ["credential.helper", ""],
      ["push.gpgSign", "false"],
    ];
  }
}

function toRemoteError(what: string, stderr: string): ForgeError | ForgeLimitError {
  const text = `${what}: ${stderr.trim().split("\n").slice(0, 5).join("\n")}`;
  if (LIMITED.test(stderr)) return new ForgeLimitError(text, LIMITED_MS);
  if (UNAUTHORIZED.test(stderr)) return new ForgeError("FORGE_UNAUTHORIZED", text);
  return new ForgeError(REFUSED.test(stderr) ? "FORGE_REFUSED" : "FORGE_FAILED", text);
}
