import * as fc from "fast-check";
import { expect, it } from "vitest";
import { isJsonObject, type Json } from "../model/json.ts";
import { capture, type Write } from "./capture.ts";
import { WrittenVariables } from "./written-variables.ts";

const KEY = fc.constantFrom("a", "b", "c");
const VALUE = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.integer({ min: 0, max: 9 }),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(KEY, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const WRITE = fc.record<Write>({
  path: fc.array(KEY, { minLength: 1, maxLength: 3 }),
  merge: fc.constantFrom("replace", "append", "merge"),
  value: VALUE,
});

it("DATA-3 writes applied together give the same result as one after the other, and do not change their inputs", () => {
  fc.assert(
    fc.property(fc.dictionary(KEY, VALUE), fc.array(WRITE, { maxLength: 12 }), (variables, writes) => {
      const before = JSON.stringify([variables, writes]);
      const together = new WrittenVariables(variables);
      let expected: Json = variables;
      for (const write of writes) {
        together.write(write);
        const captured = capture(expected, merged(expected, write));
        if (captured.kind === "variables") expected = captured.variables;
      }
      expect(together.value).toEqual(expected);
      expect(JSON.stringify(together.value)).toBe(JSON.stringify(expected));
      expect(JSON.stringify([variables, writes])).toBe(before);
    }),
    { numRuns: 1000 },
  );
});

/** If merges disagree, the later one replaces the earlier value. */
function merged(before: Json, write: Write): Write {
  const isRefused = write.merge === "merge" && capture(before, write).kind === "failure";
  return isRefused && isJsonObject(write.value) ? { ...write, merge: "replace" } : write;
}

it("DATA-3 20,000 writes of one list, of one object and of as many variables are made", () => {
  const together = new WrittenVariables({});
  for (let index = 0; index < 20_000; index++) {
    together.write({ path: ["list"], merge: "append", value: index });
    together.write({ path: ["object"], merge: "merge", value: { [`k${index}`]: index } });
    together.write({ path: [`v${index}`], merge: "replace", value: index });
  }
  const { list, object, ...others } = together.value as Record<string, Json>;
  expect([list, object, others].map((each) => Object.keys(each as object).length)).toEqual([20_000, 20_000, 20_000]);
});
