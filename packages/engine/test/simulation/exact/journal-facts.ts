// The facts of every execution in a store, read from the journals.

import {
  compileDefinition,
  createState,
  fold,
  readEvent,
  stepName,
  type ContentHash,
  type Event,
  type ExecutionId,
  type Json,
  type Program,
} from "@segno/kernel";
import { canonicalHash, definitionText } from "../../../src/checks/definition-text.ts";
import type { MemoryStore } from "../../../src/store/memory/memory-store.ts";
import { readFacts } from "./facts.ts";
import type { Plan } from "./plan.ts";

export class JournalFacts {
  readonly #programs: ReadonlyMap<ContentHash, Program>;
  readonly #startMs: number;

  constructor({ workflows }: Plan, startMs: number) {
    this.#startMs = startMs;
    this.#programs = new Map(workflows.map((each) => [canonicalHash(definitionText(each)), compiled(each)]));
  }

  async of(store: MemoryStore): Promise<ReadonlyMap<string, readonly string[]>> {
    const facts = new Map<string, readonly string[]>();
    for (const { id } of (await store.find({ limit: 100 })).executions) facts.set(id, await this.#factsOf(store, id));
    return facts;
  }

  async #factsOf(store: MemoryStore, id: ExecutionId): Promise<readonly string[]> {
    const loaded = await store.load(id);
    if (loaded?.kind !== "execution") return [`unreadable ${loaded?.reason ?? ""}`];
    const program = this.#programs.get(loaded.projection.definition);
    if (program === undefined) return ["of an unknown definition"];
    const state = createState(program, this.#programs);
    const facts: string[] = [];
    for (const line of loaded.blocks.flatMap(({ body }) => body.split("\n"))) {
      const event = eventIn(line);
      fold(state, event);
      facts.push(...readFacts(event, event.at - this.#startMs, (step) => stepName(state, step), this.#startMs));
    }
    return facts;
  }
}

function compiled(workflow: Plan["workflows"][number]): Program {
  const result = compileDefinition(workflow);
  if (result.kind === "program") return result.program;
  throw new Error(`the generator made an invalid definition: ${JSON.stringify(result.problems[0])}`);
}

function eventIn(line: string): Event {
  const read = readEvent(JSON.parse(line) as Json);
  if (read.kind === "event") return read.event;
  throw new Error(`the journal has an unreadable event: ${read.message}`);
}
