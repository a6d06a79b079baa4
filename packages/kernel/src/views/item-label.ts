// The label of the item of a map that a step belongs to.
//
// Not its job: anything that a turn needs. A label is computed when it is displayed, and is written nowhere.
//
//   I1. A label depends only on data that is constant once a map is open (the item, its index, the input of the enclosing
//       workflow), so every computation gives the same label.
//   I2. If a label cannot be rendered or is not text, the item has no label. A label never causes a failure.
//   I3. The innermost enclosing map with labels counts, also from inside a sub-workflow that an item calls.

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
import type { StoredValues } from "../rules/stored-values.ts";

/** The maximum length in code points; a longer label is cut, because it is displayed on one line beside a name. */
export const LABEL_LENGTH_MAX = 80;

/** Undefined if no enclosing map has labels, if this item has none, or if its values are not loaded. */
export function itemLabel(state: State, step: number, values: StoredValues): string | undefined {
  const around = labelledItem(state, step);
  if (around === undefined) return undefined;
  const context = labelContext(state, around, values);
  const text = context === undefined ? undefined : renderLabel(around.label.template, context)?.trim();
  return text === undefined || text === "" ? undefined : cut(text);
}

/**
 * The stored values that the labels of an execution read; all of them must be loaded to see all labels. `scope` limits them to
 * the items of the scope that opened last, so that following an execution with many scopes reads each once.
 */
export function labelValues(state: State, scope: "all" | "last" = "all"): readonly ContentHash[] {
  const hashes = new Set<ContentHash>();
  for (const region of scope === "all" ? state.regions : state.regions.slice(-1)) {
    const label = itemLabelTemplate(state, region);
    if (label === undefined || region.size === 0) continue;
    if (readsRoot(label, "item")) addStored(hashes, region.value);
    if (readsRoot(label, "input")) addStored(hashes, enclosingInput(state, region.parent));
  }
  return [...hashes];
}

interface LabelledItem {
  readonly label: CompiledRead;
  readonly region: Region;
  readonly index: number;
}

function labelledItem(state: State, step: number): LabelledItem | undefined {
  for (let current = step; state.regions.length > 1 && current >= 0;) {
    const region = findRegion(state, current);
    const label = itemLabelTemplate(state, region);
    if (label !== undefined) return { label, region, index: instanceIndex(region, current) };
    // A compensation belongs to the item of the step that it undoes.
    current = region.kind === "compensation" ? region.undoes[localStep(region, current)]! : region.parent;
  }
  return undefined;
}

function itemLabelTemplate(state: State, { kind, parent }: Region): CompiledRead | undefined {
  if (kind !== "items") return undefined;
  const { work } = compiledStep(state, parent);
  return work.kind === "items" ? work.label : undefined;
}

function labelContext(
  state: State,
  { label, region, index }: LabelledItem,
  values: StoredValues,
): JsonObject | undefined {
  const items = readsRoot(label, "item") ? load(region.value, values) : null;
  const input = readsRoot(label, "input") ? load(enclosingInput(state, region.parent), values) : null;
  if (items === undefined || input === undefined) return undefined;
  return { item: isJsonArray(items) ? (items[index] ?? null) : null, index, input };
}

/** An expression that begins with `@` may read the whole context. */
function readsRoot({ references }: CompiledRead, root: string): boolean {
  return references.some(({ path }) => path[0] === undefined || path[0] === root);
}

function load(value: Value | undefined, values: StoredValues): Json | undefined {
  if (value?.kind === "inline") return value.json;
  return value?.kind === "stored" ? values.value(value.hash) : undefined;
}

function addStored(hashes: Set<ContentHash>, value: Value | undefined): void {
  if (value?.kind === "stored") hashes.add(value.hash);
}

/** Unlike other templates, a text with a missing value or a list in it gives no label. */
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

/** A code point has at most two UTF-16 units, so no more units than this can be displayed. */
const UNITS_MAX = 2 * (LABEL_LENGTH_MAX + 1);

function toWord(value: Json): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" ? value.slice(0, UNITS_MAX) : undefined;
}

function cut(text: string): string {
  const points = Array.from(text.slice(0, UNITS_MAX));
  return points.length <= LABEL_LENGTH_MAX ? text : `${points.slice(0, LABEL_LENGTH_MAX - 1).join("")}…`;
}
