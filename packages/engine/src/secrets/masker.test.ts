import { durationMs, type Failure, type Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Masker } from "./masker.ts";

function makeMasker(...values: readonly string[]): Masker {
  const masker = new Masker();
  for (const value of values) masker.add(value);
  return masker;
}

describe("a masked text", () => {
  it("DATA-9 holds `***` where a secret was", () => {
    const masker = makeMasker("hunter22");
    expect(masker.text("password: hunter22.")).toBe("password: ***.");
    expect(masker.text("hunter22")).toBe("***");
    expect(masker.text("hunter2")).toBe("hunter2");
    expect(masker.text("")).toBe("");
  });

  it("M2 has one mask for secrets that overlap, touch, or lie in each other", () => {
    const masker = makeMasker("abcdefgh", "efghijkl", "cdefgh", "mnopqrst");
    expect(masker.text("<abcdefghijkl>")).toBe("<***>");
    expect(masker.text("<abcdefghmnopqrst>")).toBe("<***>");
    expect(masker.text("<abcdefgh efghijkl>")).toBe("<*** ***>");
  });

  it("M1 is the text itself while there are no secrets, and when what was added is too short to be one", () => {
    const masker = makeMasker("", "12345", "     ");
    expect(masker.isIdle).toBe(true);
    expect(masker.text("12345")).toBe("12345");
  });

  it("M3 is never completed to a secret by its own masks", () => {
    const masker = makeMasker("secret", "before*", "*behind", "one***secondpart");
    expect(masker.text("beforesecret")).toBe("***");
    expect(masker.text("secretbehind")).toBe("***");
    expect(masker.text("onesecretsecondpart")).toBe("one***");
    expect(masker.text("one***secondpart")).toBe("***");
  });
});

describe("a remembered value", () => {
  it("M5 goes on hiding a value after another has taken its place", () => {
    const masker = makeMasker("old-value");
    masker.text("used once");
    masker.add("new-value");
    expect(masker.text("old-value new-value")).toBe("*** ***");
  });

  it("M5 forgets what was added the longest time ago when there is too much, and not what was asked for again", () => {
    const token = (each: number): string => `token-${each}-${"x".repeat(2000)}`;
    const masker = makeMasker(token(0), token(1));
    for (let each = 2; each < 200; each++) {
      masker.add(token(each));
      expect(masker.text(token(0))).toBe("***");
      masker.add(token(0));
    }
    expect([token(199), token(198)].map((each) => masker.text(each))).toEqual(["***", "***"]);
    expect(masker.text(token(1))).toBe(token(1));
  });

  it("M6 never forgets a value that is held, also one that was forgotten before, and may forget it when all released it", () => {
    const token = (each: number): string => `token-${each}-${"x".repeat(2000)}`;
    const fill = (masker: Masker): void => {
      for (let each = 100; each < 300; each++) masker.add(token(each));
    };
    const masker = new Masker();
    masker.add(token(0));
    fill(masker);
    expect(masker.text(token(0))).toBe(token(0));
    const [first, second] = [masker.hold([token(0), token(1)]), masker.hold([token(0)])];
    fill(masker);
    expect([token(0), token(1)].map((each) => masker.text(each))).toEqual(["***", "***"]);
    first();
    first();
    fill(masker);
    expect([token(0), token(1)].map((each) => masker.text(each))).toEqual(["***", token(1)]);
    second();
    expect(masker.text(token(0))).toBe("***");
    fill(masker);
    expect(masker.text(token(0))).toBe(token(0));
  });
});

describe("secrets that are larger together than the masker remembers", () => {
  /** About 1,500,000 characters of variants each. */
  const large = (each: number): string => `large-${each}-${"xyz/+&".repeat(3500)}`;
  const many = Array.from({ length: 3 }, (_, each) => large(each));

  it("M7 are learned once, however many steps request them in turn", () => {
    const masker = new Masker();
    const learned = new Set<unknown>();
    for (let step = 0; step < 10; step++) {
      masker.add(...many);
      const release = masker.hold(many);
      expect(masker.text(many[step % 3]!)).toBe("***");
      const automaton = masker.automaton();
      learned.add(automaton).add(automaton.generation);
      release();
    }
    expect(learned.size).toBe(2);
  });

  it("M7 are learned once if each step requests one of them, and a token that is new each time", () => {
    const masker = new Masker();
    const automatons = new Set<unknown>();
    for (let step = 0; step < 10; step++) {
      const token = `token-${step}-of-many`;
      masker.add(large(step % 3), token);
      const release = masker.hold([...many, token]);
      expect(masker.text(`${token} ${large(2)}`)).toBe("*** ***");
      automatons.add(masker.automaton());
      release();
    }
    expect(automatons.size).toBe(1);
  });

  it("M5 are forgotten when another execution holds others", () => {
    const masker = new Masker();
    masker.hold(many)();
    expect(masker.text(many[0]!)).toBe("***");
    masker.hold(["another-secret"]);
    expect([masker.text(many[0]!) === "***", masker.text("another-secret")]).toEqual([false, "***"]);
  });
});

describe("masked JSON", () => {
  const masker = makeMasker("hunter22", "98765432");

  it("DATA-9 holds no secret in any text or key, however deep", () => {
    const json = { a: ["hunter22", { "is hunter22": [[`{"in":"hunter22"}`]] }], b: true, c: null, d: 1.5 };
    expect(masker.json(json)).toEqual({ a: ["***", { "is ***": [['{"in":"***"}']] }], b: true, c: null, d: 1.5 });
    expect(masker.json("hunter22")).toBe("***");
  });

  it("M4 is the very same object where nothing was hidden, and shares the parts that have nothing to hide", () => {
    const clean = Object.freeze({ list: [1, "two", { three: null }], [Symbol.iterator.toString()]: "" });
    expect(masker.json(clean)).toBe(clean);
    const json = { clean, dirty: { text: "hunter22" } };
    const masked = masker.json(json) as typeof json;
    expect(masked.clean).toBe(clean);
    expect(json.dirty.text).toBe("hunter22");
    expect(masked.dirty.text).toBe("***");
  });

  it("M4 is frozen where the original was", () => {
    const json = Object.freeze({ list: Object.freeze(["hunter22"]), open: ["hunter22"] });
    const masked = masker.json(json) as typeof json;
    expect([masked, masked.list, masked.open].map((each) => Object.isFrozen(each))).toEqual([true, true, false]);
  });

  it("M4 tells keys apart that become the same, and loses none", () => {
    const json: Json = { hunter22: 1, "***": 2, '"hunter22"': 3, hunter22hunter22: 4, other: 5 };
    expect(masker.json(json)).toEqual({ "*** (2)": 1, "***": 2, '"***"': 3, "*** (3)": 4, other: 5 });
    expect(masker.json(masker.json(json))).toEqual(masker.json(json));
  });

  it("M4 keeps keys that mean something to JavaScript", () => {
    const json = JSON.parse('{"__proto__": {"x": "hunter22"}, "constructor": "hunter22"}') as Json;
    expect(JSON.stringify(masker.json(json))).toBe('{"__proto__":{"x":"***"},"constructor":"***"}');
  });

  it("DATA-9 has a mask for a number that is a secret, and leaves numbers alone that only hold its digits", () => {
    expect(masker.json([98765432, 987654321, -98765432, 12])).toEqual(["***", 987654321, -98765432, 12]);
    expect(masker.json(98765432)).toBe("***");
    expect(makeMasker("hunter22").json(98765432)).toBe(98765432);
  });

  it("DATA-9 may be so deep that no recursion could follow", () => {
    const depth = 100_000;
    let json: Json = "hunter22";
    for (let level = 0; level < depth; level++) json = level % 2 === 0 ? [json] : { hunter22: json };
    let masked = masker.json(json);
    for (let level = depth - 1; level >= 0; level--)
      masked = level % 2 === 0 ? (masked as readonly Json[])[0]! : (masked as { "***": Json })["***"];
    expect(masked).toBe("***");
  });
});

describe("a masked failure", () => {
  const masker = makeMasker("hunter22");
  const failure: Failure = {
    class: "transient",
    code: "hunter22",
    message: "401 for hunter22",
    status: 401,
    retryAfter: durationMs(5),
    path: "body.hunter22",
    cause: {
      class: "permanent",
      code: "E",
      message: "none",
      cause: { class: "permanent", code: "E", message: "hunter22" },
    },
  };

  it("DATA-9 has no secret in message, code, path and causes, and keeps the rest", () => {
    expect(masker.failure(failure)).toEqual({
      class: "transient",
      code: "***",
      message: "401 for ***",
      status: 401,
      retryAfter: 5,
      path: "body.***",
      cause: {
        class: "permanent",
        code: "E",
        message: "none",
        cause: { class: "permanent", code: "E", message: "***" },
      },
    });
  });

  it("M4 is the very same object where nothing was hidden", () => {
    const clean = failure.cause!.cause!;
    expect(makeMasker("something").failure(failure)).toBe(failure);
    expect(masker.failure({ ...failure, cause: { ...clean, message: "clean" } }).cause).toEqual({
      ...clean,
      message: "clean",
    });
  });

  it("DATA-9 ends, whatever was made of its causes", () => {
    const endless = { class: "permanent", code: "E", message: "hunter22" } as {
      -readonly [Key in keyof Failure]: Failure[Key];
    };
    endless.cause = endless;
    expect(JSON.stringify(masker.failure(endless))).not.toContain("hunter22");
  });
});
