// Labels of a map's items in reports, events and explanations.

import { describe, expect, it } from "vitest";
import type { Definition, Json } from "@segno/kernel";
import type { Engine, ExecutionHandle, WatchEvent } from "../../src/index.ts";
import { readHistory } from "../engine/sample-flow.ts";
import { contract, useFixture, pollUntil } from "../running/fixture.ts";

const fixture = useFixture();

const PICTURES = contract(`
name: pictures
steps:
  - id: each
    map:
      over: input.images
      label: "\${ item.name }"
      steps:
        - { id: fetch, wait: { signal: fetched } }
        - { id: shrink, wait: { for: 1ms }, dependsOn: [fetch] }
`);

const image = (name: Json, size: number = 1): Json => ({ name, data: "x".repeat(size) });
const input = (...images: readonly Json[]): Json => ({ images });

/** The labels of all steps that have one, by name. */
async function readLabels(handle: ExecutionHandle): Promise<Readonly<Record<string, string>>> {
  const { steps } = await handle.status();
  return Object.fromEntries(steps.flatMap(({ name, label }) => (label === undefined ? [] : [[name, label]])));
}

const eventText = ({ kind, step, label }: WatchEvent): string => `${kind} ${step} ${label}`;

async function opened(engine: Engine, definition: Definition, images: Json): Promise<ExecutionHandle> {
  const handle = await engine.start(definition, images);
  for await (const { kind } of handle.events()) if (kind === "step.suspended") break;
  return handle;
}

const TWO_LABELS = {
  "each/0/fetch": "cat.jpg",
  "each/0/shrink": "cat.jpg",
  "each/1/fetch": "7",
  "each/1/shrink": "7",
};

describe("labels of items", () => {
  it("BEYOND-1 stand beside the names of steps in a report, and change no name", async () => {
    const engine = await fixture.current.open();
    const handle = await opened(engine, PICTURES, input(image("cat.jpg"), image(7), image(null)));
    expect(await readLabels(handle)).toEqual(TWO_LABELS);
    const { steps } = await handle.status();
    expect(steps.map(({ name }) => name).slice(0, 3)).toEqual(["each", "each/0/fetch", "each/0/shrink"]);
    for (const { label, ...step } of steps) expect("label" in step, label).toBe(false);
  });

  it("EVENT-1 stand in events as they happen, and in those that are read later", async () => {
    const engine = await fixture.current.open();
    const live: string[] = [];
    engine.subscribe(
      {},
      ({ events }) => void live.push(...events.filter(({ step }) => step !== undefined).map(eventText)),
    );
    const handle = await opened(engine, PICTURES, input(image("cat.jpg"), image({})));
    await handle.signal("fetched");
    await handle.signal("fetched");
    await handle.result();
    const later = (await readHistory(handle)).filter(({ step }) => step !== undefined).map(eventText);
    await pollUntil(() => live.length >= later.length, "all events at the subscriber");
    expect(live).toEqual(later);
    expect(live).toContain("step.suspended each/0/fetch cat.jpg");
    expect(live).toContain("step.completed each/0/shrink cat.jpg");
    expect(live).toContain("step.suspended each/1/fetch undefined");
    expect(live).toContain("step.expanded each undefined");
  });

  it("SCHED-7 stand in what is said about why a step waits", async () => {
    const engine = await fixture.current.open();
    const { id } = await opened(engine, PICTURES, input(image("cat.jpg"), image([])));
    expect(await engine.why(id, "each/0/fetch")).toEqual([
      {
        step: "each/0/fetch",
        label: "cat.jpg",
        reason: { kind: "signal", signal: "fetched" },
        text: "`each/0/fetch` (cat.jpg) waits for the signal `fetched`",
      },
    ]);
    const [plain] = await engine.why(id, "each/1/fetch");
    expect(plain).not.toHaveProperty("label");
    expect(plain!.text).toBe("`each/1/fetch` waits for the signal `fetched`");
  });
});

describe("labels of items that are stored beside the journal", () => {
  const LARGE = input(image("cat.jpg", 50_000), image(7, 50_000));

  it("BEYOND-1 JOURNAL-4 are there after a recovery, in reports, in events and in explanations", async () => {
    const first = await fixture.current.open();
    const { id } = await opened(first, PICTURES, LARGE);
    await fixture.current.closeEngines();
    const engine = await fixture.current.open();
    const handle = await engine.get(id);
    const expanded = (await readHistory(handle)).find(({ kind }) => kind === "step.expanded");
    expect(expanded?.event).toMatchObject({ children: { items: { kind: "stored" } } });
    expect(await readLabels(handle)).toEqual(TWO_LABELS);
    expect((await readHistory(handle)).map(eventText)).toContain("step.suspended each/1/fetch 7");
    expect((await engine.why(id, "each/1/fetch"))[0]).toMatchObject({ step: "each/1/fetch", label: "7" });
  });

  it("EVENT-1 JOURNAL-4 stand in what happens after a recovery, where steps read the items", async () => {
    const reading = contract(`
name: reading
steps:
  - id: each
    map:
      over: input.images
      label: "\${ item.name }"
      steps:
        - { id: fetch, wait: { signal: fetched } }
        - { id: use, agent: use, input: "\${ item.name }", dependsOn: [fetch] }
`);
    const { id } = await opened(await fixture.current.open(), reading, LARGE);
    await fixture.current.closeEngines();
    const engine = await fixture.current.open({ agents: { use: (name) => name } });
    const live: string[] = [];
    engine.subscribe({}, ({ events }) => void live.push(...events.map(eventText)));
    const handle = await engine.get(id);
    await handle.signal("fetched");
    await pollUntil(() => live.includes("step.completed each/0/use cat.jpg"), "a label beside what happened");
  });

  it("DATA-11 are gone with the values, and nothing else is", async () => {
    const engine = await fixture.current.open();
    const handle = await opened(engine, PICTURES, LARGE);
    await handle.signal("fetched");
    await handle.signal("fetched");
    await handle.result();
    expect(await readLabels(handle)).toEqual(TWO_LABELS);
    await engine.removePayloads(handle.id);
    expect(await readLabels(handle)).toEqual({});
    expect((await handle.status()).steps).toHaveLength(5);
  });
});

describe("labels and secrets", () => {
  it("DATA-1 a secret that an item has from a step is masked in its label as it is in the journal", async () => {
    const engine = await fixture.current.open({ secrets: () => "correct-horse-battery" });
    const handle = await engine.start(
      contract(`
name: masked
steps:
  - { id: list, run: 'printf "pass %s" "$T"', env: { T: "\${ secrets.t }" } }
  - id: each
    map: { over: "[previous.stdout]", label: "\${ item }", steps: [{ id: nap, wait: { for: 1ms } }] }
    dependsOn: [list]
`),
    );
    await handle.result();
    const { label } = (await handle.status()).steps.find(({ name }) => name === "each/0")!;
    expect(label).toMatch(/^pass \*+$/u);
  });
});
