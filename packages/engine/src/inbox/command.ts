// Commands: requests to an execution from any process, in the format in which they are posted and delivered (LEASE-5).

import {
  executionId,
  inlineValue,
  isSignalName,
  SegnoError,
  type CalledWorkflow,
  type ContentHash,
  type DurationMs,
  type EpochMs,
  type Happening,
  type Json,
  type ExecutionLabels,
  type TextFilter,
  type Value,
  type Vote,
} from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import { isKey } from "../idempotency/keys.ts";
import { copyJson } from "../checks/copy-json.ts";
import { areLabels } from "../checks/labels.ts";
import { isTraceparent } from "../checks/trace-context.ts";
import { isName } from "../checks/names.ts";
import type { Message } from "../store/store.ts";

export type Command =
  | {
      readonly kind: "start";
      readonly workflow: string;
      readonly definition: ContentHash;
      readonly input: Json;
      readonly seed: number;
      readonly correlationId: string;
      readonly priority: number;
      /** The idempotency key of the start (IDEM-1). */
      readonly key?: string;
      readonly workflows?: readonly CalledWorkflow[];
      readonly labels?: ExecutionLabels;
      /** The W3C trace context of the start. */
      readonly traceparent?: string;
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
  | { readonly kind: "retry"; readonly undo?: boolean; readonly tolerated?: boolean }
  | { readonly kind: "signal"; readonly id: string; readonly name: string; readonly payload: Json }
  | ({ readonly kind: "vote"; readonly step: string; readonly answer?: Json } & Omit<Vote, "answer">);

/** Longer reasons and comments are truncated. */
const REASON_MAX = 8192;

export type StartCommand = Command & { readonly kind: "start" };
export type ExecutionCommand = Exclude<Command, { kind: "start" }>;

/** Reasons and comments are for people, so they are masked, before they are cut (DATA-9). */
export function toHappening(command: ExecutionCommand, at: EpochMs, maskText: TextFilter): Happening {
  switch (command.kind) {
    case "cancel": {
      const { mode, reason, graceMs, compensate } = command;
      return {
        kind: "cancel",
        at,
        mode,
        reason: maskText(reason).slice(0, REASON_MAX).toWellFormed(),
        ...(graceMs === undefined ? {} : { grace: graceMs as DurationMs }),
        ...(compensate === undefined ? {} : { compensate }),
      };
    }
    case "pause":
    case "resume":
      return { kind: command.kind, at };
    case "retry":
      return {
        kind: "retry",
        at,
        ...(command.undo === undefined ? {} : { undo: command.undo }),
        ...(command.tolerated === undefined ? {} : { tolerated: command.tolerated }),
      };
    case "signal":
      return { kind: "signalled", at, id: command.id, name: command.name, payload: inlineValue(command.payload) };
    case "vote": {
      const { step, id, by, verdict, comment, answer } = command;
      const said = comment === undefined ? {} : { comment: maskText(comment).slice(0, REASON_MAX).toWellFormed() };
      return {
        kind: "voted",
        at,
        step,
        id,
        by,
        verdict,
        ...said,
        ...(answer === undefined ? {} : { answer: inlineValue(answer) }),
      };
    }
  }
}

export interface Creation {
  readonly create: Happening;
  readonly begin: Happening;
}

export function toCreation(id: string, command: Command & { kind: "start" }, at: EpochMs): Creation {
  const input: Value = inlineValue(command.input);
  return {
    create: {
      kind: "create",
      at,
      execution: executionId(id),
      definition: command.definition,
      input,
      seed: command.seed,
      correlationId: command.correlationId,
      workflows: command.workflows,
      priority: command.priority,
      key: command.key,
      labels: command.labels,
      traceparent: command.traceparent,
    },
    begin: { kind: "begin", at },
  };
}

/**
 * Parses a posted command; undefined if it is not a valid command. Any process may post, including programs other than
 * Segno.
 */
export function parseCommand(body: string): Command | undefined {
  try {
    const command: unknown = JSON.parse(body);
    if (!isCommand(command)) return undefined;
    if (command.kind === "signal") return { ...command, payload: copyJson("the payload of a signal", command.payload) };
    if (command.kind === "vote" && command.answer !== undefined)
      return { ...command, answer: copyAnswer(command.answer) };
    return command.kind === "start" ? { ...command, input: copyJson("the input", command.input) } : command;
  } catch {
    return undefined;
  }
}

function isCommand(value: unknown): value is Command {
  if (typeof value !== "object" || value === null) return false;
  const command = value as Readonly<Record<string, unknown>>;
  switch (command["kind"]) {
    case "start":
      return isStart(command);
    case "cancel":
      return cancelProblem(command) === undefined;
    case "pause":
    case "resume":
      return true;
    case "retry":
      return [command["undo"], command["tolerated"]].every((flag) => flag === undefined || typeof flag === "boolean");
    case "signal":
      return areTexts(command, ["id", "name"]) && isSignalName(command["name"] as string) && "payload" in command;
    case "vote":
      return isVote(command);
    default:
      return false;
  }
}

/** Validates a cancellation, because a journal with an invalid one could never be read again (JOURNAL-6). */
export function cancelProblem(command: Readonly<Record<string, unknown>>): string | undefined {
  const { mode, reason, graceMs, compensate } = command;
  if (mode !== "abort" && mode !== "drain") return `\`mode\` is \`abort\` or \`drain\`, not ${describeValue(mode)}`;
  if (typeof reason !== "string") return "`reason` is text";
  if (graceMs !== undefined && !isWholeNumber(graceMs)) return "`graceMs` is a whole number of milliseconds from 0 on";
  if (compensate !== undefined && typeof compensate !== "boolean") return "`compensate` is true or false";
  return undefined;
}

function isWholeNumber(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isVote(command: Readonly<Record<string, unknown>>): boolean {
  const { by, verdict, comment } = command;
  return (
    areTexts(command, ["step", "id", "by"]) &&
    isVoter(by as string) &&
    (VERDICTS as readonly unknown[]).includes(verdict) &&
    (comment === undefined || typeof comment === "string")
  );
}

/** An answer is part of its event and of the output of the approval, so it is limited (JOURNAL-4). */
const ANSWER_BYTES_MAX = 65_536;

/** Copies the answer of a vote, and refuses an answer that is not JSON or too large. */
export function copyAnswer(answer: Json): Json {
  const own = copyJson("the answer of a vote", answer);
  const bytes = Buffer.byteLength(JSON.stringify(own));
  if (bytes <= ANSWER_BYTES_MAX) return own;
  throw new SegnoError("VALUE_TOO_LARGE", `the answer of a vote has ${bytes} bytes; ${ANSWER_BYTES_MAX} are allowed`);
}

const VERDICTS: readonly Vote["verdict"][] = ["approve", "reject", "changes"];

/** A vote must name a voter. */
export function isVoter(by: string): boolean {
  return by.trim() !== "";
}

function isStart(command: Readonly<Record<string, unknown>>): boolean {
  const isKeyed = command["key"] === undefined || (typeof command["key"] === "string" && isKey(command["key"]));
  return (
    isKeyed &&
    areTexts(command, ["workflow", "definition", "correlationId"]) &&
    Number.isSafeInteger(command["seed"]) &&
    Number.isFinite(command["priority"]) &&
    areCalled(command["workflows"]) &&
    areLabels(command["labels"]) &&
    (command["traceparent"] === undefined || isTraceparent(command["traceparent"])) &&
    "input" in command
  );
}

function areCalled(workflows: unknown): boolean {
  const isCalled = (each: unknown): boolean =>
    typeof each === "object" &&
    each !== null &&
    areTexts(each as Readonly<Record<string, unknown>>, ["workflow", "definition"]);
  return workflows === undefined || (Array.isArray(workflows) && workflows.every(isCalled));
}

function areTexts(command: Readonly<Record<string, unknown>>, fields: readonly string[]): boolean {
  return fields.every((field) => typeof command[field] === "string");
}

/** The names in a command that a store has to keep. */
export function commandNames(command: Command): readonly string[] {
  switch (command.kind) {
    case "start":
      return [command.workflow, command.correlationId];
    case "signal":
      return [command.id, command.name];
    case "vote":
      return [command.step, command.id, command.by];
    case "cancel":
    case "pause":
    case "resume":
    case "retry":
      return [];
  }
}

/** A marked message that is no start blocks no other: it is discarded by itself. */
export function isUsableStart(message: Pick<Message, "isStart" | "body">): boolean {
  if (message.isStart !== true) return false;
  const command = parseCommand(message.body);
  return command?.kind === "start" && commandNames(command).every(isName);
}
