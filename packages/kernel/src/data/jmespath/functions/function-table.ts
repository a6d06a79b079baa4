// Every function of the language, by name.

import { ARRAY_FUNCTIONS } from "./array-functions.ts";
import { CONVERSION_FUNCTIONS } from "./conversion-functions.ts";
import type { FunctionDefinition } from "./function-definition.ts";
import { JSON_FUNCTIONS } from "./json-functions.ts";
import { NUMBER_FUNCTIONS } from "./number-functions.ts";
import { OBJECT_FUNCTIONS } from "./object-functions.ts";
import { ORDER_FUNCTIONS } from "./order-functions.ts";
import { SPLITTING_FUNCTIONS } from "./splitting-functions.ts";
import { STRING_FUNCTIONS } from "./string-functions.ts";

const ALL: readonly FunctionDefinition[] = [
  ...ARRAY_FUNCTIONS,
  ...CONVERSION_FUNCTIONS,
  ...JSON_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...OBJECT_FUNCTIONS,
  ...ORDER_FUNCTIONS,
  ...SPLITTING_FUNCTIONS,
  ...STRING_FUNCTIONS,
];

export const FUNCTIONS: ReadonlyMap<string, FunctionDefinition> = new Map(
  ALL.map((definition) => [definition.name, definition]),
);
