// Keeps work that has not landed under refs of its own, so that nothing that an agent did is ever lost (CODE-9).

import { CodeError } from "../errors/code-error.ts";
import { branchRef, keptRef, type RefName } from "./branch-names.ts";
import type { Oid } from "./oid.ts";
import { changeRefs, type RefChange } from "./ref-transaction.ts";
import type { Repository } from "./repository.ts";

export interface WorkOwner {
  readonly execution: string;
  readonly task: string;
}

const ATTEMPTS_MAX = 100;

/** Keeps a commit under the next free ref, together with other changes of refs. The same commit is kept once. */
export async function keepCommit(
  repository: Repository,
  owner: WorkOwner,
  commit: Oid,
  others: readonly RefChange[] = [],
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const kept = await listKept(repository, owner);
    const isKept = [...kept.values()].includes(commit);
    const next = keptRef(owner.execution, owner.task, nextNumber(kept, owner));
    const changes: readonly RefChange[] = isKept ? others : [{ kind: "create", ref: next, to: commit }, ...others];
    if (changes.length === 0) return;
    const outcome = await changeRefs(repository, changes);
    if (outcome.kind === "committed") return;
    if (outcome.ref !== next) throw new CodeError("GIT_FAILED", `\`${outcome.ref}\` moved while its work was kept`);
  }
  throw new CodeError("GIT_FAILED", `no ref is free to keep the work of ${owner.execution}/${owner.task}`);
}

/** The commits that no ref reaches, without those that others of them reach. */
export async function findUnreachable(repository: Repository, commits: readonly Oid[]): Promise<readonly Oid[]> {
  if (commits.length === 0) return [];
  const args = ["rev-list", "--parents", "--ignore-missing", ...commits, "--not", "--all"];
  const lines = (await repository.text(args)).split("\n").filter(Boolean);
  const parents = new Set(lines.flatMap((line) => line.split(" ").slice(1)));
  const tips = lines.map((line) => line.split(" ")[0] as Oid);
  return tips.filter((tip) => !parents.has(tip));
}

/** Moves a branch to a commit; the commit at which it was is kept. */
export async function restartBranch(
  repository: Repository,
  owner: WorkOwner,
  branch: string,
  head: Oid,
  to: Oid,
): Promise<void> {
  const update: RefChange = { kind: "update", ref: branchRef(branch), from: head, to };
  const isContained = (await repository.run(["merge-base", "--is-ancestor", head, to])).exitCode === 0;
  if (!isContained) return await keepCommit(repository, owner, head, [update]);
  const outcome = await changeRefs(repository, [update]);
  if (outcome.kind === "moved") throw new CodeError("GIT_FAILED", `\`${branch}\` moved while it was used again`);
}

async function listKept(repository: Repository, { execution, task }: WorkOwner): Promise<ReadonlyMap<RefName, Oid>> {
  return await repository.listRefs(`${keptRef(execution, task, 0).slice(0, -1)}*` as RefName);
}

function nextNumber(kept: ReadonlyMap<RefName, Oid>, { execution, task }: WorkOwner): number {
  for (let n = 1; ; n++) if (!kept.has(keptRef(execution, task, n))) return n;
}
