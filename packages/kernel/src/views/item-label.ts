// What people call the item of a map that a step stands in.
//
// Not its job: anything that a turn needs. A label is for those who look, is computed when they do, and is written nowhere.
//
//   I1. It follows from what never changes once a map is open, the item, its index and the input of the workflow around
//       the map, so it is the same whenever and wherever it is computed.
//   I2. A label that cannot be made, or is no text, is no label. It never fails anybody.
//   I3. The innermost map around a step that has labels counts, also from inside a sub-workflow that an item calls.

import { isJsonArray, type Json, type JsonObject } from "../model/json.ts";
import type { ContentHash } from "../model/units.ts";
import type { Value } from "../model/value.ts";
import type { Expression } from "../data/jmespath/expression.ts";
import { compute } from "../data/render.ts";
import type { CompiledTemplate } from "../data/template.ts";
import type { CompiledRead } from "../program/program.ts";
import { enclosingInput } from "../rules/context.ts";
import { instanceIndex, localStep, type Region } from "../state/region.ts";
import { compiledStep, findRegion } from "../state/step-position.ts";
import type { State } from "../state/state.ts";
import type { World } from "../rules/world.ts";

/** Longer labels are cut: they stand beside a name, on one line. In code points. */
export const LABEL_LENGTH_MAX = 80;

/** Nothing where the step is in no map with labels, where this item has none, or where its values are not at hand. */
export function itemLabel(state: State, step: number, world: World): string | undefined {
  const around = labelledItem(state, step);
  if (around === undefined) return undefined;
  const context = labelContext(state, around, world);
  const text = context === undefined ? undefined : renderLabel(around.label.template, context)?.trim();
  return text === undefined || text === "" ? undefined : cut(text);
}

/** The stored values that the labels of an execution are made from; whoever has loaded them sees all its labels. */
export function labelValues(state: State): readonly ContentHash[] {
  const hashes = new Set<ContentHash>();
  for (const region of state.regions) {
    const label = itemLabelTemplate(state, region);
    if (label === undefined || region.size === 0) continue;
    if (reads(label, "item")) addStored(hashes, region.value);
    if (reads(label, "input")) addStored(hashes, enclosingInput(state, region.parent));
  }
  return [...hashes];
}

interface LabelledItem {
  readonly label: CompiledRead;
  readonly region: Region;
  readonly index: number;
}

function labelledItem(state: State, step: number): LabelledItem | undefined {
  for (let place = step; state.regions.length > 1 && place >= 0;) {
    const region = findRegion(state, place);
    const label = itemLabelTemplate(state, region);
    if (label !== undefined) return { label, region, index: instanceIndex(region, place) };
    // What undoes a step stands where that step does.
    place = region.kind === "compensation" ? region.undoes[localStep(region, place)]! : region.parent;
  }
  return undefined;
}

function itemLabelTemplate(state: State, { kind, parent }: Region): CompiledRead | undefined {
  if (kind !== "items") return undefined;
  const { work } = compiledStep(state, parent);
  return work.kind === "items" ? work.label : undefined;
}

function labelContext(state: State, { label, region, index }: LabelledItem, world: World): JsonObject | undefined {
  const items = reads(label, "item") ? load(region.value, world) : null;
  const input = reads(label, "input") ? load(enclosingInput(state, region.parent), world) : null;
  if (items === undefined || input === undefined) return undefined;
  return { item: isJsonArray(items) ? (items[index] ?? null) : null, index, input };
}

/** An expression that begins with `@` may read all that there is. */
function reads({ references }: CompiledRead, root: string): boolean {
  return references.some(({ path }) => path[0] === undefined || path[0] === root);
}

function load(value: Value | undefined, world: World): Json | undefined {
  if (value?.kind === "inline") return value.json;
  return value?.kind === "stored" ? world.value(value.hash) : undefined;
}

function addStored(hashes: Set<ContentHash>, value: Value | undefined): void {
  if (value?.kind === "stored") hashes.add(value.hash);
}

/** Not as templates are rendered elsewhere: a text with a hole in it, or with a list in it, names nobody. */
function renderLabel(template: CompiledTemplate, context: JsonObject): string | undefined {
  switch (template.kind) {
    case "literal":
      return toWord(template.json);
    case "expression":
      return computedWord(template.expression, context);
    case "text": {
      const words = template.parts.map((part) => (typeof part === "string" ? part : computedWord(part, context)));
      return words.includes(undefined) ? undefined : words.join("");
    }
    default:
      return undefined;
  }
}

function computedWord(expression: Expression, context: JsonObject): string | undefined {
  const computed = compute(expression, context);
  return computed.kind === "value" ? toWord(computed.value) : undefined;
}

/** A code point is at most two units, so of a long text no more than this can be shown. */
const UNITS_MAX = 2 * (LABEL_LENGTH_MAX + 1);

function toWord(value: Json): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" ? value.slice(0, UNITS_MAX) : undefined;
}

function cut(text: string): string {
  const points = Array.from(text.slice(0, UNITS_MAX));
  return points.length <= LABEL_LENGTH_MAX ? text : `${points.slice(0, LABEL_LENGTH_MAX - 1).join("")}…`;
}
