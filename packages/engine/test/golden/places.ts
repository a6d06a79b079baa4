// A golden execution that the engine cannot play yet: attempts at a named place, with secrets in their calls. The
// kernel decides it here, turn by turn, and the engine's own encoder makes its blocks.

import {
  advance,
  compileDefinition,
  createState,
  epochMs,
  executionId,
  executionStatus,
  inlineValue,
  toProgress,
  stepIndex,
  type Definition,
  type Happening,
  type State,
  type StoredValues,
} from "@segno/kernel";
import { canonicalHash, definitionText } from "../../src/checks/definition-text.ts";
import { CHAIN_START } from "../../src/journal/read-journal.ts";
import type { Append, Store } from "../../src/store/store.ts";
import { encodeBlock } from "../../src/journal/block-encoding.ts";
import { step, type Scenario } from "./scenario.ts";

const NO_STORED_VALUES: StoredValues = { value: () => undefined, checkSchema: () => [] };

const DEFINITION: Definition = {
  name: "places",
  secrets: ["token", "password"],
  steps: [
    step("call", {
      secrets: ["token", "password"],
      input: { headers: { authorization: "${ secrets.token }" }, login: ["user", "${ secrets.password }"] },
    }),
  ],
  output: "${ steps.call.output }",
};

function turns(id: string, at: Happening["at"]): readonly Happening[] {
  const first = stepIndex(0);
  const definition = canonicalHash(definitionText(DEFINITION));
  const later = epochMs(at + 40);
  const outcome = { kind: "succeeded", output: inlineValue("sent") } as const;
  return [
    {
      kind: "create",
      at,
      execution: executionId(id),
      definition,
      input: inlineValue(null),
      seed: 1,
      correlationId: id,
    },
    { kind: "begin", at },
    { kind: "granted", at, step: first, worker: "worker-2" },
    { kind: "lost", at: later, step: first, epoch: 1, reason: "its lease ran out" },
    { kind: "granted", at: later, step: first, worker: "worker-3" },
    { kind: "ended", at: later, step: first, epoch: 2, outcome },
  ];
}

async function drive(store: Store, id: string, at: Happening["at"]): Promise<void> {
  const compiled = compileDefinition(DEFINITION);
  if (compiled.kind === "problems") throw new Error(JSON.stringify(compiled.problems));
  const state = createState(compiled.program);
  let head = CHAIN_START;
  for (const happening of turns(id, at)) {
    const append = toAppend(state, happening, head);
    head = append.projection.head;
    await store.commit({ appends: [append], consumedMessages: [] });
  }
}

function toAppend(state: State, happening: Happening, head: string): Append {
  const after = state.seq;
  const { events } = advance(state, happening, NO_STORED_VALUES);
  const { block, values } = encodeBlock(events, head);
  const body = definitionText(DEFINITION);
  const definition = canonicalHash(body);
  const status = executionStatus(state);
  const { total, ended } = toProgress(state);
  const created = state.created!;
  const projection = {
    workflow: DEFINITION.name,
    definition,
    status: status === "none" ? "pending" : status,
    seq: state.seq,
    head: block.hash,
    createdAt: created.at,
    updatedAt: state.at,
    wakeAt: status === "completed" ? null : state.at,
    priority: 0,
    correlationId: created.correlationId,
    stepsTotal: total,
    stepsEnded: ended,
  } as const;
  const definitions = after === 0 ? [{ hash: definition, body }] : [];
  return {
    execution: created.execution,
    afterSeq: after,
    expectedEpoch: after === 0 ? 0 : 1,
    epoch: 1,
    block,
    projection,
    values,
    definitions,
  };
}

export const PLACES: Scenario = {
  name: "places",
  about: "attempts at named places, with secrets in their calls, of which one is lost with its lease",
  ends: "completed",
  workflows: [DEFINITION],
  agents: () => ({}),
  play: (fixture, id) => drive(fixture.store, id, epochMs(fixture.timeAfter(0))),
};
