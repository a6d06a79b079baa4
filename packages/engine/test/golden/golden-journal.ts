// A golden journal: the export of one execution, and its view for people.

import {
  compileDefinition,
  createState,
  executionId,
  executionStatus,
  foldAll,
  toSnapshot,
  stepName,
  type ContentHash,
  type Definition,
  type Event,
  type Json,
  type Program,
  type State,
} from "@segno/kernel";
import { readJournal } from "../../src/journal/read-journal.ts";
import type { Store } from "../../src/store/store.ts";
import { exportExecution } from "../../src/journal/transfer.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { prettyJson } from "./pretty-json.ts";
import type { Scenario } from "./scenario.ts";
import { GoldenFixture } from "./fixture.ts";

export interface GoldenJournal {
  /** The exported JSON lines. */
  readonly journal: string;
  /** A short form of the journal, and the snapshot of its fold. */
  readonly view: string;
}

/** Plays a scenario on an empty store. */
export async function makeGolden(scenario: Scenario): Promise<GoldenJournal> {
  const { name, about, workflows, ends } = scenario;
  const store = new MemoryStore();
  const fixture = new GoldenFixture({ store, workflows, agents: scenario.agents() });
  await fixture.open();
  await scenario.play(fixture, name);
  await fixture.untilIdle();
  fixture.crash();
  const folded = await readFolded(store, name);
  const status = executionStatus(folded.state);
  if (status !== ends) throw new Error(`the scenario ${name} should be ${ends} at last, but is ${status}`);
  return { journal: await journalText(store, name), view: viewText(about, folded) };
}

export async function journalText(store: Store, id: string): Promise<string> {
  const lines: string[] = [];
  for await (const line of exportExecution(store, executionId(id))) lines.push(line);
  return `${lines.join("\n")}\n`;
}

export interface Folded {
  readonly events: readonly Event[];
  readonly state: State;
}

/** Reads a journal, checks its chain, and folds it with the definitions of its store. */
export async function readFolded(store: Store, id: string): Promise<Folded> {
  const loaded = await store.load(executionId(id));
  if (loaded?.kind !== "execution") throw new Error(`${id}: ${loaded?.reason ?? "it is not there"}`);
  const journal = readJournal(loaded);
  if (journal.kind !== "journal") throw new Error(`${id}: ${journal.reason}`);
  const { events } = journal;
  const { definition } = loaded.projection;
  const library = await makeLibrary(store, [definition, ...openedBy(events)]);
  return { events, state: foldAll(createState(library.get(definition)!, library), events) };
}

function openedBy(events: readonly Event[]): readonly ContentHash[] {
  return events.flatMap((event) =>
    event.kind === "step.expanded" && event.children.kind === "workflow" ? [event.children.definition] : [],
  );
}

async function makeLibrary(store: Store, hashes: readonly ContentHash[]): Promise<ReadonlyMap<ContentHash, Program>> {
  const contents = await store.contents({ kind: "definitions", hashes });
  return new Map(Array.from(contents, ([hash, body]) => [hash, findProgram(body)]));
}

function findProgram(body: string): Program {
  const compiled = compileDefinition(JSON.parse(body) as Definition);
  if (compiled.kind === "problems") throw new Error(JSON.stringify(compiled.problems));
  return compiled.program;
}

export function viewText(about: string, { events, state }: Folded): string {
  const lines = events.map((event) => eventLine(state, event));
  const snapshot = JSON.parse(JSON.stringify(toSnapshot(state))) as Json;
  return `${prettyJson({ about, events: lines, snapshot })}\n`;
}

/** One event for people: its time, its kind and its step. */
function eventLine(state: State, { seq, at, kind, ...rest }: Event): string {
  const step = "step" in rest && rest.step !== undefined ? ` ${stepName(state, rest.step)}` : "";
  return `${seq} +${at - state.created!.at} ${kind}${step}`;
}
