// An action: one order to a node of some type, which runs under its own lease and epoch.
//
// Among the models, only an action refuses unknown fields, because it is sent from one party to another (PLAN-4).

import type { JsonObject } from "@segno/kernel";
import { isoTime } from "../values/iso-time.ts";
import type { IdAndClock } from "./id-and-clock.ts";
import { build } from "./build.ts";
import { integer, jsonObject, listCheck, oneOf, text, time, uuid } from "./check.ts";
import type { FieldReader } from "./field-reader.ts";
import { hasBrand, type BrandedModel } from "./model-brand.ts";
import { ActionType } from "./vocabulary.ts";

export interface ActionRecord {
  readonly actionId: string;
  readonly actionType: ActionType;
  readonly targetNodeType: string;
  readonly payload: JsonObject;
  /** Ids of actions, never of steps (PLAN-5). */
  readonly dependencies: readonly string[];
  readonly priority: number;
  readonly timeoutMs: number;
  readonly leaseId: string;
  readonly epoch: number;
  readonly retryCount: number;
  readonly metadata: JsonObject;
  readonly createdAt: string;
}

/** The order to run one step, as the planner emits it. */
export type Action = ActionRecord & BrandedModel<"action">;

type RequiredActionFields = "actionType" | "targetNodeType" | "leaseId" | "epoch";

/** The fields of `action`. */
export type ActionFields = Pick<ActionRecord, RequiredActionFields> & {
  readonly [Name in Exclude<keyof ActionRecord, RequiredActionFields>]?: ActionRecord[Name] | undefined;
};

const FIELDS: ReadonlySet<string> = new Set<keyof ActionRecord>([
  "actionId",
  "actionType",
  "targetNodeType",
  "payload",
  "dependencies",
  "priority",
  "timeoutMs",
  "leaseId",
  "epoch",
  "retryCount",
  "metadata",
  "createdAt",
]);

const actionType = oneOf(ActionType, "unknown-value");
const targetNodeType = text(100, "out-of-range");
const ids = listCheck(uuid);
const priority = integer(1, 10);
const timeoutMs = integer(100, 300_000);
const epoch = integer(0);
const retryCount = integer(0, 10);
const NOTHING: JsonObject = Object.freeze({});
const NO_IDS: readonly string[] = Object.freeze([]);

export function action(fields: ActionFields, idAndClock: IdAndClock): Action {
  return build("action", fields, (reader) => readAction(reader, idAndClock));
}

/** Whether a value is an action that `action` or the planner made. */
export function isAction(value: unknown): value is Action {
  return hasBrand(value, "action");
}

function readAction(fields: FieldReader, idAndClock: IdAndClock): ActionRecord {
  fields.refuseOthers(FIELDS);
  return {
    actionId: fields.withGenerated("actionId", uuid, () => idAndClock.newId()),
    actionType: fields.required("actionType", actionType),
    targetNodeType: fields.required("targetNodeType", targetNodeType),
    payload: fields.withDefault("payload", jsonObject, NOTHING),
    dependencies: fields.withDefault("dependencies", ids, NO_IDS),
    priority: fields.withDefault("priority", priority, 1),
    timeoutMs: fields.withDefault("timeoutMs", timeoutMs, 30_000),
    leaseId: fields.required("leaseId", uuid),
    epoch: fields.required("epoch", epoch),
    retryCount: fields.withDefault("retryCount", retryCount, 0),
    metadata: fields.withDefault("metadata", jsonObject, NOTHING),
    createdAt: fields.withGenerated("createdAt", time, () => isoTime(idAndClock.now())),
  };
}
