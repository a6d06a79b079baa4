// The definition of a function of the language, and its view of a call.
//
// Job of `Call`: returns the arguments with the type that the function requires, or fails with a message that names the function,
// the argument and the actual type. It is also the only access to fuel, to `&` expressions, and to new values.

import { isJsonArray, isJsonObject, type Json, type JsonArray, type JsonObject } from "../../../model/json.ts";
import { fail } from "../expression-failure.ts";
import type { Fuel } from "../fuel.ts";
import { madeText } from "../text.ts";
import { typeName } from "../type-name.ts";

export interface FunctionDefinition {
  readonly name: string;
  /** The minimum and maximum number of arguments, including an `&` expression. */
  readonly arity: readonly [number, number];
  /** The index of the `&` expression among the arguments, if any. */
  readonly by?: number;
  readonly run: (call: FunctionCall) => Json;
}

/** The services of the evaluator for a function. */
export interface FunctionContext {
  readonly fuel: Fuel;
  /** Records that the expression made this array or object, so that it is not part of the input. */
  register<Value extends JsonArray | JsonObject>(value: Value): Value;
}

export class FunctionCall {
  readonly fuel: Fuel;
  readonly #name: string;
  readonly #args: readonly Json[];
  readonly #context: FunctionContext;
  readonly #by: (value: Json) => Json;

  constructor(name: string, args: readonly Json[], by: (value: Json) => Json, context: FunctionContext) {
    this.#name = name;
    this.#args = args;
    this.#by = by;
    this.#context = context;
    this.fuel = context.fuel;
  }

  /** Applies the `&` expression of this call to a value. */
  by(value: Json): Json {
    return this.#by(value);
  }

  register<Value extends JsonArray | JsonObject>(value: Value): Value {
    return this.#context.register(value);
  }

  /** Called with the length that was already charged. */
  madeText(text: string, paid: number): string {
    return madeText(text, paid, this.fuel);
  }

  all(): readonly Json[] {
    return this.#args;
  }

  any(index: number): Json {
    return this.#args[index] ?? null;
  }

  has(index: number): boolean {
    return index < this.#args.length;
  }

  number(index: number): number {
    const value = this.any(index);
    return typeof value === "number" ? value : this.refuse(index, "a number");
  }

  text(index: number): string {
    const value = this.any(index);
    return typeof value === "string" ? value : this.refuse(index, "a string");
  }

  array(index: number): JsonArray {
    const value = this.any(index);
    return isJsonArray(value) ? value : this.refuse(index, "an array");
  }

  object(index: number): JsonObject {
    const value = this.any(index);
    return isJsonObject(value) ? value : this.refuse(index, "an object");
  }

  numbers(index: number): readonly number[] {
    const array = this.#scanArray(index);
    return array.every(isNumber) ? array : this.refuse(index, "an array of numbers");
  }

  texts(index: number): readonly string[] {
    const array = this.#scanArray(index);
    return array.every(isText) ? array : this.refuse(index, "an array of strings");
  }

  /** All numbers or all strings. */
  sortables(index: number): readonly number[] | readonly string[] {
    const array = this.#scanArray(index);
    if (array.every(isNumber) || array.every(isText)) return array;
    return this.refuse(index, "an array of numbers or an array of strings");
  }

  /** An optional whole number; functions that count do not accept a negative one. */
  integer(index: number, least: number): number | undefined {
    if (!this.has(index)) return undefined;
    const value = this.number(index);
    if (Number.isInteger(value) && value >= least) return value;
    const expected = least === 0 ? "a whole number that is not negative" : "a whole number";
    return fail("EXPRESSION_VALUE", `${this.#name}() expects argument ${index + 1} to be ${expected}, got ${value}`);
  }

  refuse(index: number, expected: string): never {
    const got = typeName(this.any(index));
    fail("EXPRESSION_TYPE", `${this.#name}() expects argument ${index + 1} to be ${expected}, got ${got}`);
  }

  refuseValue(message: string): never {
    fail("EXPRESSION_VALUE", `${this.#name}() ${message}`);
  }

  refuseKey(expected: string, got: Json): never {
    fail("EXPRESSION_TYPE", `${this.#name}() expects its \`&\` expression to give ${expected}, got ${typeName(got)}`);
  }

  #scanArray(index: number): JsonArray {
    const array = this.array(index);
    this.fuel.scan(array.length);
    return array;
  }
}

function isNumber(value: Json): value is number {
  return typeof value === "number";
}

function isText(value: Json): value is string {
  return typeof value === "string";
}
