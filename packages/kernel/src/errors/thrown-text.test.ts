// Anything may be thrown.

import { expect, it } from "vitest";
import { thrownMessage, thrownText } from "./thrown-text.ts";

const NOTHING = "a value without a message was thrown";

it("PLAN-19 an error is shown by its name and message, any other value by its text", () => {
  expect(thrownText(new TypeError("no such file"))).toBe("TypeError: no such file");
  expect(thrownText(new RangeError(""))).toBe("RangeError");
  expect(thrownText("out of paper")).toBe("out of paper");
  expect(thrownText(null)).toBe("null");
  expect(thrownText(undefined)).toBe("undefined");
  expect(thrownText(Symbol("x"))).toBe("Symbol(x)");
});

it("PLAN-19 a value without a message, or whose getters throw, has a text too", () => {
  const throwing = new Proxy(new Error("x"), {
    get() {
      throw new Error("no");
    },
  });
  expect(thrownText("")).toBe(NOTHING);
  expect(thrownText(Object.create(null))).toBe(NOTHING);
  expect(thrownText(throwing)).toBe(NOTHING);
  expect(thrownText({ toString: () => 1n })).toBe("1");
});

it("a thrown value is shown by its message alone if its name says nothing to the reader", () => {
  expect(thrownMessage(new TypeError("no such file"))).toBe("no such file");
  expect(thrownMessage({ message: "from another realm" })).toBe("from another realm");
  expect(thrownMessage("out of paper")).toBe("out of paper");
  expect(thrownMessage(Object.create(null))).toBe(NOTHING);
});
