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
export type BrandedModel<Name extends ModelName> = { readonly [model]: Name };

/** A constructor that returns what it is given: the field of the class below lands on that object. */
function returnSame(value: object): object {
  return value;
}

class ModelBrand extends (returnSame as unknown as new (value: object) => object) {
  readonly #name: ModelName;

  constructor(value: object, name: ModelName) {
    super(value);
    this.#name = name;
  }

  static modelName(value: unknown): ModelName | undefined {
    return typeof value === "object" && value !== null && #name in value ? value.#name : undefined;
  }
}

/** Marks and freezes an object that was just made and that nobody else holds; what is in it is frozen already. */
export function brandModel<Value extends object, Name extends ModelName>(
  value: Value,
  name: Name,
): Value & BrandedModel<Name> {
  // Marked first: an object that is frozen may one day refuse private fields too.
  const marked = new ModelBrand(value, name);
  return Object.freeze(marked) as unknown as Value & BrandedModel<Name>;
}

export function hasBrand(value: unknown, name: ModelName): boolean {
  return ModelBrand.modelName(value) === name;
}
