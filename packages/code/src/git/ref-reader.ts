// Reads refs of the user's repository through a process that stays (`object-reader.ts`).
//
//   RF1. Refs are read in the given order. The answers are not a snapshot: several refs could not be read at one moment by
//        `git for-each-ref` either.
//   RF2. A ref is exactly the one that was named. For a missing ref git would also try others, such as
//        `refs/tags/refs/heads/x` for `refs/heads/x`, and it takes `x-g1a2b3c4` for a description of the commit `1a2b3c4`.
//   RF3. Git keeps the packed refs and looks only at the inode, the size and the seconds of the file's times. A file that
//        was replaced twice within a second can have all of them again. So the nanoseconds are compared here, and a new
//        process reads a file that has changed.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isRefName, type RefName } from "./branch-names.ts";
import { requireText, type Git } from "./git.ts";
import { BATCH_COMMAND, ObjectReader } from "./object-reader.ts";
import type { Oid } from "./oid.ts";

/** The names that git tries for a name, besides the name itself. */
const OTHER_NAMES: readonly ((ref: RefName) => string)[] = [
  (ref) => `refs/${ref}`,
  (ref) => `refs/tags/${ref}`,
  (ref) => `refs/heads/${ref}`,
  (ref) => `refs/remotes/${ref}`,
  (ref) => `refs/remotes/${ref}/HEAD`,
];

const DESCRIPTION = /-g[0-9a-f]{4,}$/u;

export class RefReader {
  readonly #git: Git;
  readonly #gitDir: string;
  readonly #objects: ObjectReader;
  #packed: string | undefined;

  constructor(git: Git, gitDir: string) {
    this.#git = git;
    this.#gitDir = gitDir;
    this.#objects = new ObjectReader(() => git.start([`--git-dir=${gitDir}`, ...BATCH_COMMAND], {}));
  }

  /** The commits that refs point to, read in the given order; a ref that does not exist is left out. */
  async resolveAll(refs: readonly RefName[]): Promise<ReadonlyMap<RefName, Oid>> {
    await this.#followPackedRefs();
    const commits = await Promise.all(refs.map((ref) => this.#commit(ref)));
    const found = new Map<RefName, Oid>();
    for (const [index, ref] of refs.entries()) {
      const commit = commits[index];
      if (commit !== undefined && (await this.#exists(ref))) found.set(ref, commit);
    }
    return found;
  }

  async close(): Promise<void> {
    await this.#objects.close();
  }

  async #commit(ref: RefName): Promise<Oid | undefined> {
    return isRefName(ref) ? (await this.#objects.info(`${ref}^{commit}`))?.oid : undefined;
  }

  /** RF2. Git tries the name itself first, so without other names its answer is that of the ref. */
  async #exists(ref: RefName): Promise<boolean> {
    const others = await Promise.all(OTHER_NAMES.map((name) => this.#objects.info(name(ref))));
    if (others.every((other) => other === undefined) && !DESCRIPTION.test(ref)) return true;
    const args = [`--git-dir=${this.#gitDir}`, "for-each-ref", "--format=%(refname)", ref];
    return requireText(args, await this.#git.run(args))
      .split("\n")
      .includes(ref);
  }

  /** RF3. */
  async #followPackedRefs(): Promise<void> {
    const found = await stat(join(this.#gitDir, "packed-refs"), { bigint: true }).catch(() => undefined);
    const packed = found === undefined ? "" : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");
    if (this.#packed !== undefined && this.#packed !== packed) this.#objects.renew();
    this.#packed = packed;
  }
}
