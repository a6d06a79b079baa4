// Wishes: what may be asked of an execution from anywhere, as it is posted and delivered (LEASE-5).

import {
  executionId,
  inline,
  isSignalName,
  type CalledWorkflow,
  type ContentHash,
  type DurationMs,
  type EpochMs,
  type Happening,
  type Json,
  type Value,
  type Vote,
} from "@segno/kernel";
import { isKey } from "./idempotency/keys.ts";
import { shownOption } from "./options/option-error.ts";
import { takeJson } from "./own-json.ts";

export type Wish =
  | {
      readonly kind: "start";
      readonly workflow: string;
      readonly definition: ContentHash;
      readonly input: Json;
      readonly seed: number;
      readonly correlationId: string;
      readonly priority: number;
      /** The idempotency key that it was started with (IDEM-1). */
      readonly key?: string;
      readonly workflows?: readonly CalledWorkflow[];
    }
  | {
      readonly kind: "cancel";
      readonly mode: "abort" | "drain";
      readonly reason: string;
      readonly graceMs?: number;
      readonly compensate?: boolean;
    }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "retry"; readonly undo?: boolean }
  | { readonly kind: "signal"; readonly id: string; readonly name: string; readonly payload: Json }
  | ({ readonly kind: "vote"; readonly step: string } & Vote);

/** Reasons and comments are there to be read; what is longer is cut. */
const REASON_MAX = 8192;

export type StartWish = Wish & { readonly kind: "start" };
export type ExecutionWish = Exclude<Wish, { kind: "start" }>;

export function happeningOf(wish: ExecutionWish, at: EpochMs): Happening {
  switch (wish.kind) {
    case "cancel": {
      const { mode, reason, graceMs, compensate } = wish;
      return {
        kind: "cancel",
        at,
        mode,
        reason: reason.slice(0, REASON_MAX).toWellFormed(),
        ...(graceMs === undefined ? {} : { grace: graceMs as DurationMs }),
        ...(compensate === undefined ? {} : { compensate }),
      };
    }
    case "pause":
    case "resume":
      return { kind: wish.kind, at };
    case "retry":
      return { kind: "retry", at, ...(wish.undo === undefined ? {} : { undo: wish.undo }) };
    case "signal":
      return { kind: "signalled", at, id: wish.id, name: wish.name, payload: inline(wish.payload) };
    case "vote": {
      const { step, id, by, verdict, comment } = wish;
      const said = comment === undefined ? {} : { comment: comment.slice(0, REASON_MAX).toWellFormed() };
      return { kind: "voted", at, step, id, by, verdict, ...said };
    }
  }
}

export interface Creation {
  readonly create: Happening;
  readonly begin: Happening;
}

export function creationOf(id: string, wish: Wish & { kind: "start" }, at: EpochMs): Creation {
  const input: Value = inline(wish.input);
  return {
    create: {
      kind: "create",
      at,
      execution: executionId(id),
      definition: wish.definition,
      input,
      seed: wish.seed,
      correlationId: wish.correlationId,
      workflows: wish.workflows,
      priority: wish.priority,
      key: wish.key,
    },
    begin: { kind: "begin", at },
  };
}

/** A wish that was posted, read back; nothing when it is none: any process may post, and not all of them are ours. */
export function parseWish(body: string): Wish | undefined {
  try {
    const wish: unknown = JSON.parse(body);
    if (!isWish(wish)) return undefined;
    if (wish.kind === "signal") return { ...wish, payload: takeJson("the payload of a signal", wish.payload) };
    return wish.kind === "start" ? { ...wish, input: takeJson("the input", wish.input) } : wish;
  } catch {
    return undefined;
  }
}

function isWish(value: unknown): value is Wish {
  if (typeof value !== "object" || value === null) return false;
  const wish = value as Readonly<Record<string, unknown>>;
  switch (wish["kind"]) {
    case "start":
      return isStart(wish);
    case "cancel":
      return cancelTrouble(wish) === undefined;
    case "pause":
    case "resume":
      return true;
    case "retry":
      return wish["undo"] === undefined || typeof wish["undo"] === "boolean";
    case "signal":
      return areTexts(wish, ["id", "name"]) && isSignalName(wish["name"] as string) && "payload" in wish;
    case "vote":
      return isVote(wish);
    default:
      return false;
  }
}

/** What is wrong with a cancellation: a journal that holds such a thing can never be read again (JOURNAL-6). */
export function cancelTrouble(wish: Readonly<Record<string, unknown>>): string | undefined {
  const { mode, reason, graceMs, compensate } = wish;
  if (mode !== "abort" && mode !== "drain") return `\`mode\` is \`abort\` or \`drain\`, not ${shownOption(mode)}`;
  if (typeof reason !== "string") return "`reason` is text";
  if (graceMs !== undefined && !isWhole(graceMs)) return "`graceMs` is a whole number of milliseconds from 0 on";
  if (compensate !== undefined && typeof compensate !== "boolean") return "`compensate` is true or false";
  return undefined;
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isVote(wish: Readonly<Record<string, unknown>>): boolean {
  const { by, verdict, comment } = wish;
  return (
    areTexts(wish, ["step", "id", "by"]) &&
    isVoter(by as string) &&
    (VERDICTS as readonly unknown[]).includes(verdict) &&
    (comment === undefined || typeof comment === "string")
  );
}

const VERDICTS: readonly Vote["verdict"][] = ["approve", "reject", "changes"];

/** A vote is somebody's. */
export function isVoter(by: string): boolean {
  return by.trim() !== "";
}

function isStart(wish: Readonly<Record<string, unknown>>): boolean {
  const isKeyed = wish["key"] === undefined || (typeof wish["key"] === "string" && isKey(wish["key"]));
  return (
    isKeyed &&
    areTexts(wish, ["workflow", "definition", "correlationId"]) &&
    Number.isSafeInteger(wish["seed"]) &&
    Number.isFinite(wish["priority"]) &&
    areCalled(wish["workflows"]) &&
    "input" in wish
  );
}

function areCalled(workflows: unknown): boolean {
  const isCalled = (each: unknown): boolean =>
    typeof each === "object" &&
    each !== null &&
    areTexts(each as Readonly<Record<string, unknown>>, ["workflow", "definition"]);
  return workflows === undefined || (Array.isArray(workflows) && workflows.every(isCalled));
}

function areTexts(wish: Readonly<Record<string, unknown>>, fields: readonly string[]): boolean {
  return fields.every((field) => typeof wish[field] === "string");
}
