// Several refs change together or not at all, each only if it still has the expected value.

import { setTimeout as sleep } from "node:timers/promises";
import { CodeError } from "../errors/code-error.ts";
import type { RefName } from "./branch-names.ts";
import { zeroOid, type Oid } from "./oid.ts";
import type { Repository } from "./repository.ts";

/** A change of a git ref, which holds only if the ref has the expected value. */
export type RefChange =
  | { readonly kind: "create"; readonly ref: RefName; readonly to: Oid }
  | { readonly kind: "update"; readonly ref: RefName; readonly from: Oid; readonly to: Oid }
  | { readonly kind: "delete"; readonly ref: RefName; readonly from: Oid }
  | { readonly kind: "verify"; readonly ref: RefName; readonly at: Oid };

/** `moved` names the first ref that did not have its expected value; nothing was changed. */
export type RefOutcome = { readonly kind: "committed" } | { readonly kind: "moved"; readonly ref: RefName };

const LOCKED_RETRIES = 12;
const LOCKED_MS = 10;

/**
 * Git reports a moved ref and a locked ref with the same exit code and in words. So after a refusal the refs are read:
 * if all have their expected values, another process held a lock, and the transaction is tried again.
 */
export async function changeRefs(repository: Repository, changes: readonly RefChange[]): Promise<RefOutcome> {
  const input = `start\0${changes.map(toInput).join("")}prepare\0commit\0`;
  for (let attempt = 0; ; attempt++) {
    const result = await repository.run(["update-ref", "--stdin", "-z"], { input });
    if (result.exitCode === 0) return { kind: "committed" };
    const moved = await findMoved(repository, changes);
    if (moved !== undefined) return { kind: "moved", ref: moved };
    if (attempt === LOCKED_RETRIES)
      throw new CodeError("GIT_FAILED", `git did not change the refs: ${result.stderr.trim()}`);
    await sleep(LOCKED_MS * 2 ** Math.min(attempt, 6) * (0.5 + Math.random()));
  }
}

async function findMoved(repository: Repository, changes: readonly RefChange[]): Promise<RefName | undefined> {
  for (const change of changes) {
    const value = await repository.resolve(change.ref);
    if (value !== expectedValue(change)) return change.ref;
  }
  return undefined;
}

/** The value that a ref must have for its change. */
export function expectedValue(change: RefChange): Oid | undefined {
  switch (change.kind) {
    case "create":
      return undefined;
    case "verify":
      return change.at;
    case "update":
    case "delete":
      return change.from;
  }
}

function toInput(change: RefChange): string {
  switch (change.kind) {
    case "create":
      return `update ${change.ref}\0${change.to}\0${zeroOid(change.to)}\0`;
    case "update":
      return `update ${change.ref}\0${change.to}\0${change.from}\0`;
    case "delete":
      return `delete ${change.ref}\0${change.from}\0`;
    case "verify":
      return `verify ${change.ref}\0${change.at}\0`;
  }
}
