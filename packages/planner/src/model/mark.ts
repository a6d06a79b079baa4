// Mark
//
// Job: tell the models that were built here from objects that only look like them (PLAN-22).
//
//   M1. A model stays a plain object: it has no class, it is JSON, and two equal ones compare as equal.
//   M2. The mark is a private field, so that nobody outside can copy, forge or see it, and nothing is kept in a list. A copy
//       of a model is not a model, nor is a proxy around one.

export type ModelName =
  | "semantic version"
  | "workflow step"
  | "workflow definition"
  | "workflow metadata"
  | "coordination rules"
  | "execution graph"
  | "workflow node"
  | "orchestrator input"
  | "action";

declare const model: unique symbol;

/** A value that its factory made. */
export type Built<Name extends ModelName> = { readonly [model]: Name };

/** A constructor that returns what it is given: the field of the class below lands on that object. */
function given(value: object): object {
  return value;
}

class Mark extends (given as unknown as new (value: object) => object) {
  readonly #name: ModelName;

  constructor(value: object, name: ModelName) {
    super(value);
    this.#name = name;
  }

  static nameOf(value: unknown): ModelName | undefined {
    return typeof value === "object" && value !== null && #name in value ? value.#name : undefined;
  }
}

/** Marks and freezes an object that was just made and that nobody else holds; what is in it is frozen already. */
export function markBuilt<Value extends object, Name extends ModelName>(value: Value, name: Name): Value & Built<Name> {
  // Marked first: an object that is frozen may one day refuse private fields too.
  const marked = new Mark(value, name);
  return Object.freeze(marked) as unknown as Value & Built<Name>;
}

export function isBuilt(value: unknown, name: ModelName): boolean {
  return Mark.nameOf(value) === name;
}
