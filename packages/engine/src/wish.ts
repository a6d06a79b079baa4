// Wishes: what may be asked of an execution from anywhere, as it is posted and delivered (LEASE-5).

import {
  executionId,
  inline,
  isSignalName,
  type ContentHash,
  type DurationMs,
  type EpochMs,
  type Happening,
  type Json,
  type Value,
  type Vote,
} from "@segno/kernel";
import { isKey } from "./idempotency/keys.ts";
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
  | { readonly kind: "retry" }
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
        reason: reason.slice(0, REASON_MAX),
        ...(graceMs === undefined ? {} : { grace: graceMs as DurationMs }),
        ...(compensate === undefined ? {} : { compensate }),
      };
    }
    case "pause":
    case "resume":
    case "retry":
      return { kind: wish.kind, at };
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
    },
    begin: { kind: "begin", at },
  };
}

/** A wish that was posted, read back; nothing when it is none: any process may post, and not all of them are ours. */
export function parseWish(body: string): Wish | undefined {
  try {
    const wish: unknown = JSON.parse(body);
    if (!isWish(wish)) return undefined;
    return wish.kind === "signal" ? { ...wish, payload: takeJson("the payload of a signal", wish.payload) } : wish;
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
      return isCancel(wish);
    case "pause":
    case "resume":
    case "retry":
      return true;
    case "signal":
      return areTexts(wish, ["id", "name"]) && isSignalName(wish["name"] as string) && "payload" in wish;
    case "vote":
      return isVote(wish);
    default:
      return false;
  }
}

function isCancel({ mode, reason, graceMs, compensate }: Readonly<Record<string, unknown>>): boolean {
  const isGrace = graceMs === undefined || (Number.isFinite(graceMs) && (graceMs as number) >= 0);
  const isChoice = compensate === undefined || typeof compensate === "boolean";
  return typeof reason === "string" && (mode === "abort" || mode === "drain") && isGrace && isChoice;
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
    areNumbers(wish, ["seed", "priority"]) &&
    "input" in wish
  );
}

function areTexts(wish: Readonly<Record<string, unknown>>, fields: readonly string[]): boolean {
  return fields.every((field) => typeof wish[field] === "string");
}

function areNumbers(wish: Readonly<Record<string, unknown>>, fields: readonly string[]): boolean {
  return fields.every((field) => typeof wish[field] === "number");
}
