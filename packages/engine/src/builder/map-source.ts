// A map over a list or a function becomes two steps: `<id>-items`, which reads the items, and the map over its output.
//
//   M1. The items are read by a regular step: once, durably, with retries, and before the first item runs.
//   M2. The attempt options of the step apply to reading, because the map itself makes no attempt. `timeout` limits
//       reading, and then all items together. The condition is evaluated once, for reading: the map is skipped if its
//       source was.
//   M3. Both steps have the dependencies, so a map that cleans up still runs after failures (STATE-6).
//   M4. Mistakes that can be detected statically are reported when the workflow is built.

import { VALUE_BYTES_MAX, type Json } from "@segno/kernel";
import { isPlain } from "@segno/kernel/json-check";
import { ownedCopy, WHOLE } from "../checks/copy-json.ts";
import type { StepEntry, EntryWork, ActionEntry } from "./step-entry.ts";
import type { StepContext } from "../agents/step-context.ts";
import { collectItems } from "./collect-items.ts";
import type { MapSource, MapWork } from "./flow-work.ts";
import type { StepOptions } from "./step-options.ts";

type Source = MapSource<never, never, unknown>;

interface SourcedPart extends ActionEntry {
  readonly work: MapWork<unknown, never, never>;
}

/** Creates an error for a reason. */
type Refusal = (reason: string) => Error;

/** The entries, with each source as an entry of its own before its map. */
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
  if (kind !== "step" || typeof work === "function" || work.kind !== "map") return false;
  return typeof work.over !== "string" && !isMatrix(work.over);
}

/** A matrix needs no step that reads it: its lists are data or expressions. */
function isMatrix(over: unknown): boolean {
  return typeof over === "object" && over !== null && isPlain(over) && !Array.isArray(over);
}

function sourceId(id: string): string {
  return `${id}-items`;
}

/** A fallback is one step that replaces one step, but this map has two. */
const FALLBACK =
  "a map over a list or a function can neither have a fallback nor be one; " +
  "let a step produce the list, and map over its output with an expression";

function reading({ id, options, work, condition }: SourcedPart, toError: Refusal): StepEntry {
  const { name: _name, output: _output, private: _private, ...rest } = options;
  const entry = {
    kind: "source",
    id: sourceId(id),
    options: rest,
    work: toReader(toSource(work.over, toError)),
  } as const;
  return condition === undefined ? entry : { ...entry, condition };
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
    // A value that is not a list is rejected at the source, which has the original value.
    dependsOn: [...(Array.isArray(dependsOn) ? dependsOn : []), sourceId(id)],
    when: when === undefined ? undefined : `${source}.status == 'succeeded'`,
  };
  // Absent options are `undefined` here and left out of the document.
  return { kind: "step", id, options: own as StepOptions, work: { ...work, over: `${source}.output` } };
}

function toSource(over: unknown, toError: Refusal): Source {
  if (typeof over === "function") return over as Source;
  if (!Array.isArray(over))
    throw toError(`a map needs an expression, a list, lists by name or a function, not ${typeof over}`);
  const owned = ownedCopy(over);
  if (owned.kind === "not-json") {
    const place = owned.path === WHOLE ? "" : ` at ${owned.path}`;
    throw toError(`its items have ${owned.found}${place}, which is not JSON`);
  }
  if (owned.kind === "too-large") {
    const { bytes } = owned;
    throw toError(
      `its items have ${bytes === undefined ? "more bytes" : `${bytes} bytes, more`} than the ${VALUE_BYTES_MAX} that are allowed`,
    );
  }
  return () => owned.json as readonly Json[];
}

function toReader(source: Source): EntryWork {
  return async (context: StepContext) => collectItems(await source(context as never), context.signal);
}
