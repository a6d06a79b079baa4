// Seeds that once broke a claim, with what was wrong. They are run with every `npm test`, before the others.
//
// A change of the generators gives a seed another meaning; then it is only one more seed. What each bug was is said by a
// planted bug of `mutants.ts` or by a test of its own, where it can be.

export interface Regression {
  readonly seed: number;
  readonly was: string;
}

export const REGRESSIONS: readonly Regression[] = [
  { seed: 93, was: "a start that waited for room was not woken by executions that recovery had loaded" },
  { seed: 169, was: "an execution that could not be claimed in recovery was forgotten" },
  { seed: 814, was: "a slot was taken twice when a step was paused and resumed while its grant was on the way" },
  { seed: 2, was: "a wish for an execution that had ended was never answered" },
];
