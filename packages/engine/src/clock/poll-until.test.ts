import { expect, it } from "vitest";
import { pollUntil } from "./poll-until.ts";

it("polling looks before it sleeps, sleeps between two looks, and ends with the first result", async () => {
  const calls: string[] = [];
  const results = [undefined, undefined, false];
  const result = await pollUntil(
    async () => {
      calls.push("look");
      return results.shift();
    },
    async () => calls.push("sleep"),
  );
  expect([result, calls]).toEqual([false, ["look", "sleep", "look", "sleep", "look"]]);
});
