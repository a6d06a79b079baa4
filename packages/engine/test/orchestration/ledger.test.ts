// A ledger of done and undone work: for any scopes, failures, crashes, pauses, cancellations and retries, the work that
// stands at the end is what the journal says could not be undone (FAIL-8, JOURNAL-3).

import * as fc from "fast-check";
import { loadContract } from "@segno/contract";
import { PermanentError, type Definition } from "@segno/kernel";
import { expect, it } from "vitest";
import { expand, type AgentFunction, type ExecutionHandle, type WatchEvent } from "../../src/index.ts";
import { openTestEngine, type TestEngine } from "../../src/testing/index.ts";
import { readHistory } from "../engine/sample-flow.ts";

/** Shorter than a nap, so that it expires while an inner step waits. */
interface Bounds {
  readonly timeout?: "30s";
  readonly onError?: "continue";
}

type Node =
  | { readonly kind: "leaf"; readonly undo: boolean }
  | { readonly kind: "nap" }
  | { readonly kind: "map"; readonly items: number; readonly body: readonly Node[]; readonly more: Bounds }
  | { readonly kind: "call"; readonly body: readonly Node[]; readonly more: Bounds }
  | { readonly kind: "open"; readonly body: readonly Node[] };

const more: fc.Arbitrary<Bounds> = fc.constantFrom<Bounds[]>(
  {},
  {},
  {},
  { timeout: "30s" },
  { timeout: "30s", onError: "continue" },
  { onError: "continue" },
);

const node: fc.Arbitrary<Node> = fc.letrec<{ node: Node; body: Node[] }>((tie) => ({
  body: fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
  node: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.record({ kind: fc.constant("leaf" as const), undo: fc.boolean() }),
    fc.constant({ kind: "nap" as const }),
    fc.record({ kind: fc.constant("map" as const), items: fc.integer({ min: 0, max: 3 }), body: tie("body"), more }),
    fc.record({ kind: fc.constant("call" as const), body: tie("body"), more }),
    fc.record({ kind: fc.constant("open" as const), body: tie("body") }),
  ),
})).node;

const deed = fc.oneof(
  fc.constantFrom("release", "crash", "retry", "nap", "pause", "resume", "cancel", "drain", "abandon"),
  fc.constantFrom("release", "nap", "retry"),
);

/** A step document for each node, sequential or parallel. */
function steps(nodes: readonly Node[], inRow: boolean, kids: Definition[]): unknown[] {
  return nodes.map((each, index) => ({
    id: `s${index}`,
    ...(inRow && index > 0 ? { dependsOn: [`s${index - 1}`] } : {}),
    ...work(each, inRow, kids),
  }));
}

function work(each: Node, inRow: boolean, kids: Definition[]): object {
  switch (each.kind) {
    case "leaf":
      return { agent: "leaf", retry: 1, ...(each.undo ? { compensate: { agent: "undo", retry: 1 } } : {}) };
    case "nap":
      return { wait: { for: "1m" } };
    case "map":
      return { ...each.more, map: { over: `input."${each.items}"`, steps: steps(each.body, inRow, kids) } };
    case "call": {
      const body = steps(each.body, inRow, kids);
      const name = `kid${kids.length}`;
      kids.push(loadContract(JSON.stringify({ name, steps: body })));
      return { ...each.more, workflow: name, input: LISTS };
    }
    case "open":
      return { agent: "open", retry: 1, input: steps(each.body, inRow, kids) };
  }
}

const LISTS = Object.fromEntries([0, 1, 2, 3].map((count) => [count, Array.from({ length: count }, () => 0)]));

/** A number from a name and a seed; the outcome of a call depends on nothing else. */
function chance(name: string, seed: number): number {
  let hash = seed | 0;
  for (const letter of name) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01000193);
  return ((hash ^ (hash >>> 13)) >>> 0) % 100;
}

class Cast {
  readonly #seed: number;
  readonly #calls = new Map<string, number>();
  readonly #held = new Set<() => void>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  release(): void {
    for (const go of this.#held) go();
    this.#held.clear();
  }

  get agents(): Record<string, AgentFunction> {
    return {
      open: (input) => expand(input as never),
      leaf: (_, context) => this.#play(context.step.id, 12, context.signal),
      undo: (_, context) => this.#play(context.step.id, 20, context.signal),
      fail: () => {
        throw new PermanentError("the end");
      },
    };
  }

  /** Some calls fail at first, some are slow, and some of those return a value when told to stop. */
  #play(name: string, failing: number, signal: AbortSignal): Promise<null> {
    const call = (this.#calls.get(name) ?? 0) + 1;
    this.#calls.set(name, call);
    const luck = chance(`${name}#${call}`, this.#seed);
    if (luck < failing) return Promise.reject(new PermanentError("not this time"));
    if (luck < 60) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      this.#held.add(() => resolve(null));
      signal.addEventListener("abort", () => (luck % 2 === 0 ? resolve(null) : reject(signal.reason as Error)));
    });
  }
}

async function act(kind: string, test: TestEngine, id: string, cast: Cast): Promise<void> {
  const handle = await test.get(id);
  if (kind === "release") cast.release();
  if (kind === "crash") await test.crash();
  if (kind === "retry") await handle.retry();
  if (kind === "nap") await test.advance("61s");
  if (kind === "pause") await handle.pause();
  if (kind === "resume") await handle.resume();
  if (kind === "cancel") await handle.cancel({ compensate: true });
  if (kind === "drain") await handle.cancel({ compensate: true, mode: "drain" });
  if (kind === "abandon") await handle.cancel();
  await test.untilIdle();
}

async function end(test: TestEngine, id: string, cast: Cast): Promise<ExecutionHandle> {
  for (let turn = 0; turn < 60; turn++) {
    const handle = await test.get(id);
    if (["completed", "failed", "cancelled"].includes((await handle.status()).status)) return handle;
    await handle.resume();
    cast.release();
    await test.advance("61s");
  }
  throw new Error(`it never ended: ${JSON.stringify((await (await test.get(id)).status()).steps)}`);
}

/** Replays a journal as a ledger: done work stands until it is undone, newest first. */
function audit(events: readonly WatchEvent[]): void {
  const names = new Map<number, string>();
  for (const { step, event } of events) if ("step" in event && step !== undefined) names.set(event.step, step);
  const standing: string[] = [];
  let due: string[] | undefined;
  for (const { kind, step, event } of events) {
    if (event.kind === "execution.compensating") {
      due = event.steps.map((each) => names.get(each)!);
      expect(due).toEqual(standing.filter((name) => due!.includes(name)).toReversed());
      expect(due.toSorted()).toEqual(standing.toSorted());
    }
    if (event.kind === "execution.reopened") due = undefined;
    if (kind === "step.started" && step!.endsWith("/compensate")) expect(due).toContain(step!.slice(0, -11));
    if (kind === "step.completed" && step!.endsWith("/compensate")) {
      const place = standing.indexOf(step!.slice(0, -11));
      expect(place).toBeGreaterThanOrEqual(0);
      standing.splice(place, 1);
    } else if (kind === "step.completed" && UNDOABLE.has(step!)) {
      expect(standing).not.toContain(step);
      standing.push(step!);
    }
    if (event.kind === "execution.failed" || event.kind === "execution.cancelled")
      if (due !== undefined)
        expect((event.notUndone ?? []).map((each) => names.get(each)!).toSorted()).toEqual(standing.toSorted());
  }
}

let UNDOABLE = new Set<string>();

/** The names of all leaves with a compensation. */
function undoable(nodes: readonly Node[], prefix: string, single: boolean): readonly string[] {
  return nodes.flatMap((each, index) => {
    const name = single ? prefix.slice(0, -1) : `${prefix}s${index}`;
    if (each.kind === "leaf") return each.undo ? [name] : [];
    if (each.kind === "nap") return [];
    if (each.kind !== "map") return undoable(each.body, `${name}/`, false);
    return Array.from({ length: each.items }, (_, item) =>
      undoable(each.body, `${name}/${item}/`, each.body.length === 1),
    ).flat();
  });
}

async function check(nodes: readonly Node[], inRow: boolean, seed: number, deeds: readonly string[]): Promise<void> {
  const kids: Definition[] = [];
  const body = steps(nodes, inRow, kids);
  const last = { id: "end", agent: "fail", retry: 1, dependsOn: nodes.map((_, index) => `s${index}`) };
  const flow = loadContract(JSON.stringify({ name: "root", onFailure: "compensate", steps: [...body, last] }));
  UNDOABLE = new Set(undoable(nodes, "", false));
  const cast = new Cast(seed);
  await using test = await openTestEngine({ workflows: kids, agents: cast.agents });
  const { id } = await test.start(flow, LISTS);
  await test.untilIdle();
  for (const each of deeds) await act(each, test, id, cast);
  const handle = await end(test, id, cast);
  audit(await readHistory(handle));
  expect(await test.engine.verify(id)).toMatchObject({ ok: true });
}

it("FAIL-8 JOURNAL-3 what stands at the end is what could not be undone, newest undone first, nothing twice", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(node, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      fc.integer(),
      fc.array(deed, { maxLength: 12 }),
      check,
    ),
    { numRuns: Number(process.env["LEDGER_RUNS"] ?? 60) },
  );
}, 120_000);
