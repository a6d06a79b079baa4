// examples/batch/batch.ts
import { PermanentError } from "segno";
import { executeBatch } from "segno/batch";

const words = ["one", "two", "three", "four", "five", "six", "seven"];

// Chunks: three words each, two chunks at once, and one sum of all results.
const chunked = await executeBatch(words, {
  mode: "chunked",
  size: 3,
  concurrency: 2,
  process: (chunk) => chunk.join("").length,
  aggregate: { initial: 0, reduce: (sum, letters) => sum + letters },
});
console.log(chunked.status, chunked.processed, "words,", chunked.total, "letters");

// A stream: word by word, as fast as the program reads. One failure is tolerated.
const shouted = executeBatch(words, {
  mode: "streaming",
  concurrency: 4,
  tolerance: 1,
  process: async (word) => {
    if (word === "four") throw new PermanentError("too square");
    return word.toUpperCase();
  },
});
for await (const outcome of shouted)
  if (outcome.kind === "failed") console.log(outcome.index, "failed:", outcome.failure.message);
  else if (outcome.kind === "succeeded") console.log(outcome.index, outcome.output);
const { processed, failed } = await shouted.summary;
console.log(processed, "processed,", failed, "failed");

// Windows of an endless source: at most four items, and at most 50 ms.
async function* ticks(): AsyncGenerator<number> {
  for (let tick = 1; tick <= 6; tick++) yield tick;
}
const windowed = await executeBatch(ticks(), {
  mode: "windowed",
  count: 4,
  time: "50ms",
  process: (window) => window,
});
console.log(windowed.results.flat());
