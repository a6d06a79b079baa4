import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/shop.ts";

void test("an empty cart costs nothing", () => {
  assert.equal(total([]), 0);
});
