import { fold, type Event } from "@segno/kernel";
import type { ExecutionHandle } from "@segno/engine";
import { openTestEngine, Random, type TestEngine } from "@segno/engine/testing";
import { describe, expect, it } from "vitest";
import { deriveEvents, DerivedEvents } from "../../src/events/derive-events.ts";
import { codeEvents } from "../../src/events/event-feed.ts";
import type { CodeEvent } from "../../src/events/event-port.ts";
import { EVENT_TYPES } from "../../src/model/event-type.ts";
import { collect } from "./collect.ts";
import { fakeAgents, fakeWorkflow, type Ending, type Endings, type FakeWorkflow } from "./fake-agents.ts";

const RUNS = 60;

const OF_SESSIONS: readonly Ending[] = [
  "succeed",
  "succeed",
  "succeed",
  "succeed",
  "flaky",
  "fail",
  "limit",
  "question",
];
const OF_MERGES: readonly Ending[] = [
  "succeed",
  "succeed",
  "succeed",
  "flaky",
  "fail",
  "fix",
  "approval",
  "escalation",
];

/** The same ending for the same attempt, so that an attempt that a crash ended is repeated. Deep scopes only succeed. */
function randomEndings(seed: number): Endings {
  const limited = new Set<string>();
  return (step, attempt) => {
    const key = Buffer.from(`${seed} ${step} ${attempt}`).reduce((hash, byte) => (hash * 31 + byte) | 0, 7);
    const random = new Random(key);
    if (step === "prepare" || step.split("/").length > 3) return random.percent(3) ? "flaky" : "succeed";
    const ending = random.pick(/(?:^session-[^/]*|session|fix-\d)$/u.test(step) ? OF_SESSIONS : OF_MERGES);
    // An attempt that meets a limit does not count, so it would meet it again and again.
    if (ending !== "limit" || limited.has(step)) return ending === "limit" ? "succeed" : ending;
    limited.add(step);
    return "limit";
  };
}

function randomWorkflow(random: Random): FakeWorkflow {
  const ids = ["a", "b", "c", "d", "e"].slice(0, random.between(1, 5));
  const tasks = ids.map((id, index) => [id, ids.slice(0, index).filter(() => random.percent(40))] as const);
  return fakeWorkflow(
    Object.fromEntries(tasks),
    ids.filter(() => random.percent(30)),
  );
}

/** Commands and crashes at random, until the execution has ended. What was seen live is given back, process after process. */
async function run(test: TestEngine, id: string, random: Random): Promise<readonly (readonly CodeEvent[])[]> {
  const seen: CodeEvent[][] = [];
  const follow = (): void => {
    const live: CodeEvent[] = [];
    seen.push(live);
    const feed = async (): Promise<void> => {
      for await (const event of codeEvents(test.engine, id)) live.push(event);
    };
    // A feed ends with an error when its process has crashed.
    feed().catch(() => undefined);
  };
  follow();
  for (let round = 0; round < 40; round++) {
    const handle = await test.get(id);
    const { status, steps } = await handle.status();
    if (["completed", "failed", "cancelled"].includes(status)) {
      if (round > 30 || !random.percent(30) || status === "completed") break;
      await handle.retry();
      follow();
    }
    await test.advance(random.pick([0, 100, 1000, 60_000]));
    if (random.percent(15)) {
      await test.crash();
      follow();
    } else if (random.percent(10)) await handle.pause();
    else if (random.percent(3)) await handle.cancel({ reason: "not needed" });
    else await handle.resume().catch(() => undefined);
    const asked = await test.get(id);
    for (const { name, status: state } of steps)
      if (state === "suspended" && /\/(?:approval|escalation|question)$/u.test(name)) await vote(asked, name, random);
  }
  await (await test.get(id)).cancel().catch(() => undefined);
  await test.advance("1h");
  return seen;
}

async function vote(handle: ExecutionHandle, step: string, random: Random): Promise<void> {
  const by = "ann";
  await (random.percent(70) ? handle.approve(step, { by }) : handle.reject(step, { by })).catch(() => undefined);
}

async function journalOf(test: TestEngine, id: string): Promise<readonly Event[]> {
  const handle = await test.get(id);
  return (await collect(handle.events())).map(({ event }) => event);
}

/** DE3: the events that open something, and those that end it. */
const PAIRS: readonly (readonly [string, readonly string[], (event: CodeEvent) => string])[] = [
  ["session.created", ["session.completed", "session.terminated"], ({ sessionId }) => sessionId!],
  ["merge.started", ["merge.completed", "merge.failed"], ({ taskId }) => taskId ?? "the workflow"],
  ["task.started", ["task.completed", "task.failed"], ({ taskId }) => taskId!],
];

/** The openings that were not ended, and the ends that were not opened. */
function unpaired(events: readonly CodeEvent[]): readonly string[] {
  return PAIRS.flatMap(([opening, ends, keyOf]) => {
    const open = new Set<string>();
    const wrong: string[] = [];
    for (const event of events) {
      const key = event.type === opening || ends.includes(event.type) ? keyOf(event) : undefined;
      if (key === undefined) continue;
      const isOpening = event.type === opening;
      if (isOpening === open.has(key)) wrong.push(`${event.id} ${event.type} ${key}`);
      if (isOpening) open.add(key);
      else open.delete(key);
    }
    return [...wrong, ...Array.from(open, (key) => `${opening} ${key} has no end`)];
  });
}

describe("derived events of random workflows", () => {
  const types = new Set<string>();

  it.each(Array.from({ length: RUNS }, (_, seed) => seed))(
    "EVENT-1 are the same live, in history and after crashes, and end what they open (seed %i)",
    async (seed) => {
      const random = new Random(seed);
      await using test = await openTestEngine({ agents: fakeAgents(randomEndings(seed)) });
      const { definition, input } = randomWorkflow(random);
      const { id } = await test.start(definition, input);
      const seen = await run(test, id, random);
      const journal = await journalOf(test, id);
      const [created] = journal;
      const initial = async (): ReturnType<typeof test.engine.extensions.states.initial> =>
        test.engine.extensions.states.initial((created as Event & { kind: "execution.created" }).definition);
      const history = deriveEvents(await initial(), journal);
      for (const live of seen) expect(live).toEqual(history.slice(0, live.length));
      expect(seen.at(-1)).toEqual(history);
      expect(unpaired(history)).toEqual([]);
      expect(new Set(history.map((event) => event.id)).size).toBe(history.length);
      for (const { type } of history) types.add(type);
      const cut = random.below(journal.length);
      const before = deriveEvents(await initial(), journal.slice(0, cut));
      expect(before).toEqual(history.slice(0, before.length));
    },
  );

  it("EVENT-1 are of all 23 types in these runs", () => {
    expect([...types].toSorted()).toEqual([...EVENT_TYPES].toSorted());
    expect(EVENT_TYPES).toHaveLength(23);
  });
});

describe("the fold of derived events", () => {
  it("EVENT-1 gives nothing for an event of the journal that it has seen", async () => {
    await using test = await openTestEngine({ agents: fakeAgents(() => "succeed") });
    const { definition, input } = fakeWorkflow({ a: [] });
    const { id } = await test.start(definition, input);
    await test.advance("1h");
    const journal = await journalOf(test, id);
    const { definition: hash } = journal[0] as Event & { kind: "execution.created" };
    const derived = new DerivedEvents(await test.engine.extensions.states.initial(hash));
    const state = await test.engine.extensions.states.initial(hash);
    for (const event of journal) {
      fold(state, event);
      derived.apply(event);
      expect(derived.apply(event)).toEqual([]);
    }
  });

  it("EVENT-1 finds the checks of a merge whose input lies beside the journal", async () => {
    await using test = await openTestEngine({ agents: fakeAgents(() => "succeed") });
    const { definition, input } = fakeWorkflow({ a: [] }, ["a"]);
    const tasks = (input as { tasks: { a: object } }).tasks;
    const large = { ...(input as object), tasks: { a: { ...tasks.a, instructions: "x".repeat(100_000) } } };
    const { id } = await test.start(definition, large as never);
    await test.advance("1h");
    const events = await collect(codeEvents(test.engine, id));
    expect(events.map(({ type }) => type)).toContain("merge.waiting_for_checks");
  });
});
