// Scopes (STATE-9): a `workflow` step has its definition, or cannot have it; the time of a scope is over.

import { ACCEPTED, type Decision } from "./decision.ts";
import { Draft, ignored, needs } from "./draft.ts";
import type { Happening } from "./happening.ts";
import { makeCall, mismatch } from "./making.ts";
import { mayStart } from "./permission.ts";
import type { Definition, JsonSchema } from "../model/definition.ts";
import type { Failure } from "../model/failure.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import type { EpochMs, StepIndex } from "../model/units.ts";
import { inline } from "../model/value.ts";
import { boundScope, scopeBound, scopeDeadline } from "./scope-deadline.ts";
import { compiledStep, regionUnder } from "./place.ts";
import { stepCount, type Call, type State } from "./state.ts";
import { stopFailing } from "./stop.ts";
import type { World } from "./world.ts";

export function decideResolved(
  state: State,
  { step, definition, at }: Happening & { kind: "resolved" },
  world: World,
): Decision {
  if (!isAwaited(state, step)) return ignored(state, "not-asked");
  const program = state.library.get(definition);
  if (program === undefined) return ignored(state, "stale");
  const call = makeCall(state, step, world);
  if (call.kind === "needs") return needs(call.values);
  const draft = new Draft(state, at);
  const input = call.kind === "made" ? inputOf(call.made) : null;
  const schema = program.definition.input;
  const failure =
    call.kind === "failure"
      ? call.failure
      : schema === undefined
        ? undefined
        : unfitInput(program.definition, schema, input, world);
  if (failure !== undefined) draft.emit({ kind: "step.failed", step, failure });
  else {
    const deadline = boundScope(state, step, draft, program);
    const children = { kind: "workflow", definition, input: inline(input) } as const;
    draft.emit({ kind: "step.expanded", step, children, ...(deadline === undefined ? {} : { deadline }) });
  }
  return draft.decided();
}

/** Who reads it sees the step that called, and not what the workflow asks for: the message names both. */
function unfitInput({ name, version }: Definition, schema: JsonSchema, input: Json, world: World): Failure | undefined {
  const workflow = version === undefined ? name : `${name}@${version}`;
  return mismatch("INPUT_INVALID", `the input of \`${workflow}\``, schema, input, world);
}

export function decideUnresolved(state: State, { step, failure, at }: Happening & { kind: "unresolved" }): Decision {
  if (!isAwaited(state, step)) return ignored(state, "not-asked");
  const draft = new Draft(state, at);
  draft.emit({ kind: "step.failed", step, failure });
  return draft.decided();
}

export function decideScopeDeadline(state: State, step: StepIndex, at: EpochMs): Decision {
  const deadline = scopeDeadline(state, step);
  const bound = deadline === undefined || at < deadline ? undefined : scopeBound(state, step);
  if (bound === undefined) return ignored(state, "stale");
  const draft = new Draft(state, at);
  const { failure } = bound;
  if (regionUnder(state, step).failure === undefined) draft.emit({ kind: "step.failing", step, failure });
  stopFailing(state, draft, failure.message, step);
  return draft.decided();
}

/** A new round has opened scopes again: their timers begin anew. */
export function decideScopeTimers(state: State, at: EpochMs): Decision {
  const draft = new Draft(state, at);
  for (let step = 0; step < stepCount(state); step++) {
    const dueAt = scopeDeadline(state, step);
    if (dueAt !== undefined)
      draft.ask({ kind: "arm", timer: { kind: "scope-deadline", step: step as StepIndex }, dueAt });
  }
  return draft.decided(ACCEPTED, { queue: "scopes", count: 1 });
}

function isAwaited(state: State, step: number): boolean {
  return state.columns.asked[step] === 1 && mayStart(state, step) && compiledStep(state, step).work.kind === "workflow";
}

function inputOf(call: Call): Json {
  const value = call.value?.kind === "inline" ? call.value.json : null;
  return isJsonObject(value) ? (value["input"] ?? null) : null;
}
