// The known shape of `variables`: the names that the workflow declares and the paths that its steps write.
//
// Writers are kept as a tree, so that a read costs the length of its path however many writers there are.

import type { Definition } from "../model/definition.ts";
import { isJsonArray, isJsonObject, type Json } from "../model/json.ts";
import { listShape, typeOf, UNKNOWN, type Shape } from "../data/shapes/shape.ts";
import { parseVariablePath } from "../data/variable-path.ts";

interface WrittenNode {
  /** A step writes here, so the value may be anything. */
  isWritten: boolean;
  readonly below: Map<string, WrittenNode>;
}

export function variablesShape(definition: Definition): Shape {
  const written = emptyNode();
  for (const { output } of definition.steps) if (output?.to !== undefined) addWriter(written, output.to);
  return variableShape(written, definition.variables ?? {});
}

function emptyNode(): WrittenNode {
  return { isWritten: false, below: new Map() };
}

function addWriter(root: WrittenNode, to: string): void {
  let node = root;
  for (const name of parseVariablePath(to) ?? []) {
    const next: WrittenNode = node.below.get(name) ?? emptyNode();
    node.below.set(name, next);
    node = next;
  }
  node.isWritten = true;
}

/** A declared value keeps its type if no step writes it; a declared null means that the type is not known yet. */
function variableShape(written: WrittenNode | undefined, declared: Json | undefined): Shape {
  if (written?.isWritten === true || declared === null) return UNKNOWN;
  if (written === undefined && !isJsonObject(declared)) return constantShape(declared);
  return {
    kind: "object",
    code: "UNKNOWN_VARIABLE",
    field: (name) => {
      const below = written?.below.get(name);
      const value = isJsonObject(declared) && Object.hasOwn(declared, name) ? declared[name] : undefined;
      return below === undefined && value === undefined ? undefined : variableShape(below, value);
    },
    names: () => [
      ...new Set([...(written?.below.keys() ?? []), ...(isJsonObject(declared) ? Object.keys(declared) : [])]),
    ],
  };
}

function constantShape(value: Json | undefined): Shape {
  if (value === undefined) return UNKNOWN;
  if (isJsonArray(value)) return listShape(UNKNOWN);
  const type = typeOf(value);
  return { kind: "types", types: [type === "integer" ? "number" : type] };
}
