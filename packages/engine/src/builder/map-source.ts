// A map over a list or a function is two steps: one that reads the items, called `<id>-items`, and the map over its output.
//
//   M1. The items are read by a step like any other: once, durably, tried again when it fails, and before the first item runs.
//   M2. What the options of the step say about an attempt is said about reading, for the map itself makes none; `timeout`
//       bounds that, and then the items together. The condition is decided once, for reading: the map is skipped where its
//       source was.
//   M3. Both have the dependencies, so a map that cleans up still does (STATE-6).
//   M4. What is wrong and can be known is said when the workflow is built.

import { checkJson, type Json } from "@segno/kernel";
import { ownJson } from "../checks/copy-json.ts";
import type { StepEntry, EntryWork, ActionEntry } from "./step-entry.ts";
import { collectItems } from "./collect-items.ts";
import type { MapSource, MapWork } from "./flow-work.ts";
import type { StepOptions } from "./step-options.ts";

type Source = MapSource<never, never, unknown>;

interface SourcedPart extends ActionEntry {
  readonly work: MapWork<unknown, never, never>;
}

/** Makes an error of a reason. */
type Refusal = (reason: string) => Error;

/** The parts, with every source as a part of its own right before its map. */
export function withSources(parts: readonly StepEntry[], refusal: Refusal): readonly StepEntry[] {
  if (!parts.some(isSourced)) return parts;
  const taken = new Set(parts.flatMap(({ kind, id }) => (kind === "step" ? [id] : [])));
  const fallbacks = new Set(parts.flatMap((part) => (part.kind === "step" ? (part.options.fallback ?? []) : [])));
  return parts.flatMap((part) => {
    if (!isSourced(part)) return [part];
    const { id, options } = part;
    const toError = (reason: string): Error => refusal(`step \`${id}\`: ${reason}`);
    if (taken.has(sourceId(id)))
      throw toError(`its items are read by a step \`${sourceId(id)}\`; rename the other one`);
    if (options.fallback !== undefined || fallbacks.has(id)) throw toError(FALLBACK);
    return [reading(part, toError), mapping(part)];
  });
}

function isSourced(part: StepEntry): part is SourcedPart {
  const { kind, work } = part;
  return kind === "step" && typeof work !== "function" && work.kind === "map" && typeof work.over !== "string";
}

function sourceId(id: string): string {
  return `${id}-items`;
}

/** A fallback is one step that stands in for one step, and here are two. */
const FALLBACK =
  "a map over a list or a function neither has a fallback nor is one; " +
  "have the list made by a step, and map over its output by an expression";

function reading({ id, options, work }: SourcedPart, toError: Refusal): StepEntry {
  const { name: _name, output: _output, private: _private, ...rest } = options;
  return { kind: "source", id: sourceId(id), options: rest, work: toReader(toSource(work.over, toError)) };
}

function mapping({ id, options, work }: SourcedPart): StepEntry {
  const { name, output, private: hidden, timeout, onError, enabled, dependsOn, when } = options;
  const source = `steps.${JSON.stringify(sourceId(id))}`;
  const own = {
    name,
    output,
    private: hidden,
    timeout,
    onError,
    enabled,
    // What is no list is refused at the source, which has it as it came.
    dependsOn: [...(Array.isArray(dependsOn) ? dependsOn : []), sourceId(id)],
    when: when === undefined ? undefined : `${source}.status == 'succeeded'`,
  };
  // What was not given is `undefined` here, and left out of the document.
  return { kind: "step", id, options: own as StepOptions, work: { ...work, over: `${source}.output` } };
}

function toSource(over: unknown, toError: Refusal): Source {
  if (typeof over === "function") return over as Source;
  if (!Array.isArray(over)) throw toError(`a map goes over an expression, a list or a function, not ${typeof over}`);
  const check = checkJson(over);
  if (check.kind === "not-json") throw toError(`its items have ${check.found} at ${check.path}, which is not JSON`);
  const owned = ownJson(check);
  if (owned.kind === "too-large") {
    const { bytes } = owned;
    throw toError(
      `its items have ${bytes === undefined ? "more bytes" : `${bytes} bytes, more`} than a value may have`,
    );
  }
  return () => owned.json as readonly Json[];
}

function toReader(source: Source): Extract<EntryWork, (...given: never[]) => unknown> {
  const read = source as (outputs: unknown, context: unknown) => unknown;
  return async (outputs, context) => collectItems(await read(outputs, context), context.signal);
}
