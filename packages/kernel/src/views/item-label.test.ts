// Labels of a map's items: which step has which label, and which values are not labels.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { map, step, workflow } from "../../test/properties/written-steps.ts";
import type { Event } from "../journal/event.ts";
import type { Definition } from "../model/definition.ts";
import type { Json } from "../model/json.ts";
import { contentHash, epochMs, executionId, type StepIndex } from "../model/units.ts";
import { inlineValue, type Value } from "../model/value.ts";
import { compileOrThrow } from "../program/compile.ts";
import { foldAll } from "../state/fold.ts";
import { itemLabel, LABEL_LENGTH_MAX, labelValues } from "./item-label.ts";
import { stepName, stepNamed } from "../state/names.ts";
import { createState, stepCount, type State } from "../state/state.ts";
import type { StoredValues } from "../rules/stored-values.ts";

type Body = Event extends infer Each ? (Each extends Event ? Omit<Each, "v" | "seq" | "at"> : never) : never;

const CHILD = contentHash("child");
const NOTHING_AT_HAND: StoredValues = { value: () => undefined, checkSchema: () => [] };

function opened(definition: Definition, input: Value, bodies: readonly Body[], child?: Definition): State {
  const program = compileOrThrow(definition);
  const library = new Map(child === undefined ? [] : [[CHILD, compileOrThrow(child)] as const]);
  const created: Body = {
    kind: "execution.created",
    execution: executionId("e"),
    definition: contentHash("w"),
    workflow: "w",
    input,
    seed: 1,
    correlationId: "e",
  };
  const all = [created, { kind: "execution.validating" }, { kind: "execution.started" }, ...bodies];
  const events = all.map((body, at) => ({ v: 1, seq: at + 1, at: epochMs(at), ...body }) as Event);
  return foldAll(createState(program, library), events);
}

const items = (place: number, list: readonly Json[], value: Value = inlineValue(list)): Body => ({
  kind: "step.expanded",
  step: place as StepIndex,
  children: { kind: "items", count: list.length, items: value },
});

/** The labels of all steps that have one, by name. */
function labels(state: State, values: StoredValues = NOTHING_AT_HAND): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (let place = 0; place < stepCount(state); place++) {
    const label = itemLabel(state, place, values);
    if (label !== undefined) found[stepName(state, place)] = label;
  }
  return found;
}

/** The label of the first item of a map over this list. */
function toLabel(label: string, item: Json, input: Json = null, strict: boolean = false): string | undefined {
  const definition = workflow([step("m", map([step("x")], { label }))], { strict });
  const state = opened(definition, inlineValue(input), [items(0, [item])]);
  return itemLabel(state, stepNamed(state, "m/0")!, NOTHING_AT_HAND);
}

describe("the label of an item", () => {
  it("BEYOND-1 is made of the item, its index and the input, for every step of the item", () => {
    const label = "${ input.host }/${ item.path } (${ index })";
    const definition = workflow([step("a"), step("m", map([step("x"), step("y", { after: ["x"] })], { label }))]);
    const list = [{ path: "p" }, { path: "q" }];
    expect(labels(opened(definition, inlineValue({ host: "h" }), [items(1, list)]))).toEqual({
      "m/0/x": "h/p (0)",
      "m/0/y": "h/p (0)",
      "m/1/x": "h/q (1)",
      "m/1/y": "h/q (1)",
    });
  });

  it("BEYOND-1 is text: numbers and booleans become text, other values give no label", () => {
    const cases: readonly (readonly [Json, string | undefined])[] = [
      ["cat", "cat"],
      ["  cat\n", "cat"],
      [0, "0"],
      [1.5, "1.5"],
      [false, "false"],
      ["", undefined],
      [" \n\t", undefined],
      [null, undefined],
      [["cat"], undefined],
      [{ name: "cat" }, undefined],
    ];
    for (const [item, label] of cases) expect(toLabel("${ item }", item)).toBe(label);
  });

  it("BEYOND-1 that cannot be rendered is absent, whether the workflow is strict or not", () => {
    for (const strict of [false, true]) {
      expect(toLabel("${ abs(item) }", "cat", null, strict)).toBeUndefined();
      expect(toLabel("${ item.name || item.id }", { id: 7 }, null, strict)).toBe("7");
    }
  });

  it("BEYOND-1 with a missing value or a list in its text is absent", () => {
    for (const name of [undefined, null, ["cat"], {}])
      expect(toLabel("a picture of ${ item.name }", name === undefined ? {} : { name })).toBeUndefined();
    expect(toLabel("${ item.name }'s ${ item.count } of ${ item.all }", { name: "cat", count: 2, all: true })).toBe(
      "cat's 2 of true",
    );
  });

  it("BEYOND-1 sees only constant data, also through `@`", () => {
    for (const all of ["@", "$"]) expect(toLabel(`\${ join(' ', sort(keys(${all}))) }`, 1)).toBe("index input item");
    expect(toLabel("${ $.item.name }", { name: "cat" })).toBe("cat");
  });
});

describe("a long label", () => {
  it("BEYOND-1 is cut by code points, never through one", () => {
    expect(toLabel("${ item }", "x".repeat(LABEL_LENGTH_MAX))).toBe("x".repeat(LABEL_LENGTH_MAX));
    expect(toLabel("${ item }", "x".repeat(500_000))).toBe(`${"x".repeat(LABEL_LENGTH_MAX - 1)}…`);
    expect(toLabel("${ item }", "😀".repeat(LABEL_LENGTH_MAX))).toBe("😀".repeat(LABEL_LENGTH_MAX));
    expect(toLabel("${ item }", "😀".repeat(1000))).toBe(`${"😀".repeat(LABEL_LENGTH_MAX - 1)}…`);
  });

  it("BEYOND-1 that costs more fuel than an expression may use is absent", () => {
    expect(toLabel("${ join('', [item, item]) }", "x".repeat(1_000_000))).toBeUndefined();
  });

  it("BEYOND-1 never throws, whatever the item is, and is one bounded line of text or absent", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme", maxLength: 200 }));
    const template = fc.constantFrom("${ item }", "<${ item }>", "${ item.name }", "${ join('', item) }", "${ @ }");
    fc.assert(
      fc.property(template, fc.oneof(text, fc.jsonValue()), fc.jsonValue(), (label, item, input) => {
        const found = toLabel(label, item as Json, input as Json);
        if (found === undefined) return;
        expect(Array.from(found).length).toBeLessThanOrEqual(LABEL_LENGTH_MAX);
        expect(found.trim()).not.toBe("");
      }),
    );
  });
});

describe("whose label it is", () => {
  const inner = step("n", { action: { kind: "map", over: "item", steps: [step("y")], label: "in ${ item }" } });

  it("BEYOND-1 the innermost map that has labels names its steps", () => {
    const definition = workflow([step("m", map([inner, step("x")], { label: "out ${ index }" }))]);
    const state = opened(definition, inlineValue(null), [items(0, [["a"], ["b"]]), items(3, ["b"])]);
    expect(labels(state)).toEqual({
      "m/0/n": "out 0",
      "m/0/x": "out 0",
      "m/1/n": "out 1",
      "m/1/x": "out 1",
      "m/1/n/0": "in b",
    });
  });

  it("BEYOND-1 steps of a sub-workflow have the label of the item that called it", () => {
    const call = step("call", { action: { kind: "workflow", workflow: "child" } });
    const definition = workflow([step("m", map([call], { label: "${ input.of } ${ item }" }))]);
    const child = workflow([step("z"), step("k", map([step("y")]))]);
    const called: Body = {
      kind: "step.expanded",
      step: 2 as StepIndex,
      children: { kind: "workflow", definition: CHILD, input: inlineValue({ of: "other" }) },
    };
    const state = opened(definition, inlineValue({ of: "own" }), [items(0, ["a", "b"]), called, items(4, [1])], child);
    expect(labels(state)).toEqual({
      "m/0": "own a",
      "m/1": "own b",
      "m/1/z": "own b",
      "m/1/k": "own b",
      "m/1/k/0": "own b",
    });
  });

  it("FAIL-8 the compensation of a step of an item belongs to that item's label", () => {
    const undone = step("x", { compensate: { action: { kind: "run", script: "undo" } } });
    const definition = workflow([step("m", map([undone], { label: "${ item }" })), step("b")]);
    const state = opened(definition, inlineValue(null), [
      items(0, ["cat"]),
      { kind: "step.started", step: 2 as StepIndex, attempt: 1, epoch: 1 },
      { kind: "step.completed", step: 2 as StepIndex, output: inlineValue(null) },
      { kind: "execution.failing", failure: { class: "permanent", code: "X", message: "no" } },
      { kind: "execution.compensating", steps: [2 as StepIndex] },
    ]);
    expect(labels(state)).toEqual({ "m/0": "cat", "m/0/compensate": "cat" });
  });
});

describe("values that are stored beside the journal", () => {
  const definition = workflow([
    step("m", map([step("x")], { label: "${ item }" })),
    step("n", map([step("x")], { label: "${ input.of } ${ index }" })),
    step("o", map([step("x")])),
  ]);
  const stored = (name: string): Value => ({ kind: "stored", hash: contentHash(name), bytes: 100_000 });
  const state = opened(definition, stored("input"), [
    items(0, ["a"], stored("m")),
    items(1, ["b"], stored("n")),
    items(2, ["c"], stored("o")),
  ]);

  it("BEYOND-1 there is no label while the values are not loaded, and only values that labels read are requested", () => {
    expect(labels(state)).toEqual({});
    expect(labelValues(state)).toEqual([contentHash("m"), contentHash("input")]);
  });

  it("BEYOND-1 there are labels when they are", () => {
    const values = new Map<string, Json>([
      ["m", ["a"]],
      ["input", { of: "w" }],
    ]);
    const loaded: StoredValues = { ...NOTHING_AT_HAND, value: (hash) => values.get(hash) };
    expect(labels(state, loaded)).toEqual({ "m/0": "a", "n/0": "w 0" });
  });

  it("BEYOND-1 a value of the wrong type gives no label", () => {
    for (const json of [null, {}, [], "text"])
      expect(labels(state, { ...NOTHING_AT_HAND, value: () => json })).toEqual({});
  });
});
