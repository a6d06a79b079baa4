// Model brand
//
// Job: distinguish models that a factory built from objects that only look like them (PLAN-22).
//
//   M1. A model stays a plain object: it has no class, it is JSON, and two equal ones compare as equal.
//   M2. The brand is a private field: no code outside of this file can copy, forge or see it, and there is no list of models to
//       keep. A copy of a model is not a model, nor is a proxy around one.

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

/** A value that its factory built. */
export type BrandedModel<Name extends ModelName> = { readonly [model]: Name };

/** A constructor that returns its argument, so that the private field of the class below is added to that object. */
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

/** Brands and freezes an object that the factory just made and has not given out. Its parts are already frozen. */
export function brandModel<Value extends object, Name extends ModelName>(
  value: Value,
  name: Name,
): Value & BrandedModel<Name> {
  // The brand comes first: a frozen object may one day refuse private fields too.
  const marked = new ModelBrand(value, name);
  return Object.freeze(marked) as unknown as Value & BrandedModel<Name>;
}

export function hasBrand(value: unknown, name: ModelName): boolean {
  return ModelBrand.modelName(value) === name;
}
