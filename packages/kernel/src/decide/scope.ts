// A `workflow` step has its definition, or cannot have it (STATE-9).

import type { Decision } from "./decision.ts";
import { Draft, ignored, needs } from "./draft.ts";
import type { Happening } from "./happening.ts";
import { makeCall, mismatch } from "./making.ts";
import { mayStart } from "./permission.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import { inline } from "../model/value.ts";
import { compiledStep, type Call, type State } from "./state.ts";
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
        : mismatch("INPUT_INVALID", schema, input, world);
  if (failure === undefined)
    draft.emit({ kind: "step.expanded", step, children: { kind: "workflow", definition, input: inline(input) } });
  else draft.emit({ kind: "step.failed", step, failure });
  return draft.decided();
}

export function decideUnresolved(state: State, { step, failure, at }: Happening & { kind: "unresolved" }): Decision {
  if (!isAwaited(state, step)) return ignored(state, "not-asked");
  const draft = new Draft(state, at);
  draft.emit({ kind: "step.failed", step, failure });
  return draft.decided();
}

function isAwaited(state: State, step: number): boolean {
  return state.columns.asked[step] === 1 && mayStart(state, step) && compiledStep(state, step).work.kind === "workflow";
}

function inputOf(call: Call): Json {
  const value = call.value?.kind === "inline" ? call.value.json : null;
  return isJsonObject(value) ? (value["input"] ?? null) : null;
}
