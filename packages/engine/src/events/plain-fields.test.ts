import { describe, expect, it } from "vitest";

import { Masker } from "../secrets/masker.ts";
import { plainFields } from "./plain-fields.ts";

const SECRET = "correct-horse";

function masked(value: unknown): unknown {
  const masker = new Masker();
  masker.add(SECRET);
  return plainFields({ value }, (text) => masker.text(text))["value"];
}

function cycle(): object {
  const self: Record<string, unknown> = {};
  return Object.assign(self, { self });
}

function throws(): never {
  throw new Error("hands off");
}

describe("log fields as plain data", () => {
  it.each([
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["a date that is invalid", new Date(Number.NaN), "Invalid Date"],
    ["a BigInt", 10n, "10"],
    ["NaN", Number.NaN, "NaN"],
    ["a URL", new URL("http://host/a?b=c"), "http://host/a?b=c"],
    ["a set", new Set([1, "two"]), [1, "two"]],
    ["a map with names", new Map<string, unknown>([["a", new Map([["b", 1]])]]), { a: { b: 1 } }],
    ["a map with other keys", new Map([[{ id: 1 }, 2]]), [[{ id: 1 }, 2]]],
    ["a regular expression", /a+/u, "/a+/u"],
    ["bytes that are text", Buffer.from("text"), "text"],
    ["bytes that are not", new Uint8Array([255, 254]), "[2 bytes]"],
    ["a zero among bytes", new Uint8Array([97, 0]), "[2 bytes]"],
    ["an array buffer", new TextEncoder().encode("text").buffer, "text"],
    ["numbers of another width", new Float64Array(2), "[16 bytes]"],
    ["more bytes than anybody reads", Buffer.alloc(100_000, 97), "[100000 bytes]"],
    ["a cycle", cycle(), { self: "[circular]" }],
    ["a value twice, which is no cycle", [[1], [1]], [[1], [1]]],
    [
      "a getter that throws",
      {
        get x(): never {
          return throws();
        },
        y: 1,
      },
      { x: "[unreadable]", y: 1 },
    ],
    ["a toJSON that throws", { toJSON: throws }, "[unreadable]"],
    ["a toJSON", { toJSON: () => ({ a: 10n }) }, { a: "10" }],
    ["a symbol", Symbol("s"), "Symbol(s)"],
  ])("EVENT-5 have %s", (_, value, expected) => {
    expect(plainFields({ value })).toEqual({ value: expected });
  });

  it("EVENT-5 have an error with its name, message, code, stack, cause, parts and properties", () => {
    const error = Object.assign(new TypeError("outer", { cause: new AggregateError([new Error("part")], "inner") }), {
      code: "E_OUTER",
      at: new Date(0),
    });
    expect(plainFields({ error })["error"]).toEqual({
      name: "TypeError",
      message: "outer",
      code: "E_OUTER",
      at: "1970-01-01T00:00:00.000Z",
      stack: expect.stringContaining("TypeError: outer") as string,
      cause: expect.objectContaining({
        name: "AggregateError",
        errors: [expect.objectContaining({ message: "part" })],
      }) as object,
    });
  });
});

describe("log fields that hold a secret", () => {
  it.each([
    ["a text", SECRET],
    ["a key", { [SECRET]: 1 }],
    ["bytes", Buffer.from(`it is ${SECRET}`)],
    ["bytes in a view of a larger buffer", new Uint8Array(new TextEncoder().encode(`xx${SECRET}`).buffer, 2)],
    ["char codes of 16 bits", Uint16Array.from(SECRET, (each) => each.charCodeAt(0))],
    ["an error", new Error(SECRET, { cause: Object.assign(new Error("x"), { path: SECRET }) })],
    ["a map", new Map([[SECRET, SECRET]])],
    ["a set", new Set([SECRET])],
    ["a URL", new URL(`http://user:${SECRET}@host/`)],
    ["a toJSON", { toJSON: (): string => SECRET }],
    ["a symbol", Symbol(SECRET)],
    ["a function", Object.assign(() => 1, { toString: () => SECRET })],
    ["base64", Buffer.from(SECRET).toString("base64")],
  ])("DATA-9 show no secret that comes as %s", (_, value) => {
    const text = JSON.stringify(masked(value));
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(JSON.stringify([...Buffer.from(SECRET)]).slice(1, -1));
  });
});

describe("log fields of any size and kind", () => {
  it("EVENT-5 have a bound in depth and in number", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level++) deep = [deep];
    const wide = Object.fromEntries(Array.from({ length: 200_000 }, (_, each) => [`k${each}`, [each]]));
    expect(JSON.stringify(plainFields({ deep }))).toContain("[too deep]");
    expect(JSON.stringify(plainFields({ wide, list: Array.from({ length: 200_000 }) })).length).toBeLessThan(300_000);
  });

  it("EVENT-5 are made of whatever is given", () => {
    expect([undefined, null, "text", 7].map((given) => plainFields(given))).toEqual([
      {},
      {},
      { value: "text" },
      { value: 7 },
    ]);
  });
});
