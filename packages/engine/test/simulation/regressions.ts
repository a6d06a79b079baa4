// Seeds that show a bug which the engine once had, and what it was. They are run with every `npm test`, before the others.
//
// Each is the first seed that fails when the bug is planted again (`mutants.ts`), so it goes where the bug was. A change of
// the generators gives a seed another meaning; then take the new seed from the table that `mutants.test.ts` prints.

export interface Regression {
  readonly seed: number;
  readonly was: string;
}

export const REGRESSIONS: readonly Regression[] = [
  { seed: 9, was: "a grant from before a failed commit was used after it, without a slot" },
  { seed: 19, was: "a posted message was delivered again, or lost, when its execution could not be loaded" },
  { seed: 19, was: "the definition of a sub-workflow was not stored, and a new version of it broke the fold" },
  { seed: 6, was: "two starts with one key at the same time made two executions" },
  { seed: 30, was: "an execution that could not be loaded in recovery was forgotten" },
  { seed: 5, was: "an attempt with an input above 64 KB got null after a recovery" },
  { seed: 41, was: "a status showed what was not durable yet" },
  { seed: 135, was: "a slot was taken twice when a step was paused and resumed while its grant was on the way" },
];
