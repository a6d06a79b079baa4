import { InvariantViolation, type Json, type SecretPath } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { injectSecrets } from "./inject-secrets.ts";

const VALUES = { a: "hunter22", b: "hunter23" };

describe("a call with its secrets", () => {
  it("DATA-1 has the values at their places, and the call of the journal has none", () => {
    const call: Json = Object.freeze({
      env: Object.freeze({ TOKEN: null, OTHER: "x" }),
      headers: { authorization: null },
      input: { list: Object.freeze([null, 1, { deep: null }]) },
    });
    const before = JSON.stringify(call);
    const places: readonly SecretPath[] = [
      { path: ["env", "TOKEN"], secret: "a" },
      { path: ["headers", "authorization"], secret: "b" },
      { path: ["input", "list", 0], secret: "b" },
      { path: ["input", "list", 2, "deep"], secret: "a" },
    ];
    expect(injectSecrets(call, places, VALUES)).toEqual({
      env: { TOKEN: "hunter22", OTHER: "x" },
      headers: { authorization: "hunter23" },
      input: { list: ["hunter23", 1, { deep: "hunter22" }] },
    });
    expect(JSON.stringify(call)).toBe(before);
  });

  it("DATA-1 is the call itself where there are no places, and shares what has none", () => {
    const call = { env: { A: null }, input: { large: [1, 2, 3] } };
    expect(injectSecrets(call, [], VALUES)).toBe(call);
    const placed = injectSecrets(call, [{ path: ["env", "A"], secret: "a" }], VALUES) as typeof call;
    expect(placed.input).toBe(call.input);
  });

  it("DATA-1 may be a secret as a whole, and may have keys that mean something to JavaScript", () => {
    expect(injectSecrets(null, [{ path: [], secret: "a" }], VALUES)).toBe("hunter22");
    const call = JSON.parse('{"env": {"__proto__": null, "B": null}}') as Json;
    const places = ["__proto__", "B"].map((key) => ({ path: ["env", key], secret: "a" }));
    expect(JSON.stringify(injectSecrets(call, places, VALUES))).toBe('{"env":{"__proto__":"hunter22","B":"hunter22"}}');
  });
});

describe("a place that is none", () => {
  it.each<[SecretPath, string]>([
    [{ path: ["env", "B"], secret: "a" }, "DATA-9: the path of a secret is inside the call"],
    [{ path: ["env", "toString"], secret: "a" }, "DATA-9: the path of a secret is inside the call"],
    [{ path: ["list", "length"], secret: "a" }, "DATA-9: the path of a secret is inside the call"],
    [{ path: ["list", 7], secret: "a" }, "DATA-9: the path of a secret is inside the call"],
    [{ path: ["env", "A", "deeper"], secret: "a" }, "DATA-9: the path of a secret is inside the call"],
    [{ path: ["env", "A"], secret: "c" }, "DATA-9: the secret `c` was not resolved"],
    [{ path: ["env", "A"], secret: "toString" }, "DATA-9: the secret `toString` was not resolved"],
  ])("DATA-9 is a bug, and shows no value: %j", (place, message) => {
    const call = { env: { A: null }, list: [1] };
    expect(() => injectSecrets(call, [place], VALUES)).toThrow(InvariantViolation);
    expect(() => injectSecrets(call, [place], VALUES)).toThrow(message);
  });
});
