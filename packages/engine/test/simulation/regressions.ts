// Seeds that show a former bug of the engine, with its description. Every `npm test` runs them before the others.
//
// Each is the first seed that fails when the bug is planted again (`mutants.ts`). A change of the generators changes
// the meaning of a seed; then take the new seed from the table that `mutants.test.ts` prints.

export interface Regression {
  readonly seed: number;
  readonly was: string;
  /** How the seed is run, if not with faults. */
  readonly way?: "exact";
}

export const REGRESSIONS: readonly Regression[] = [
  { seed: 8, was: "a grant from before a failed commit was used after it, without a slot" },
  { seed: 66, was: "a posted message was lost to the process when its execution could not be loaded" },
  { seed: 5, was: "the definition of a sub-workflow was not stored, and a new version of it broke the fold" },
  { seed: 15, was: "two starts with one key at the same time made two executions" },
  { seed: 2, was: "an engine that could not open kept the store and went on with what it had loaded" },
  { seed: 634, was: "a store that failed while another process took over left executions that nobody saw to" },
  { seed: 157, was: "a status showed what was not durable yet" },
  { seed: 340, was: "a slot was taken twice when a step was paused and resumed while its grant was on the way" },
  { seed: 14, was: "a retry was granted at the time of the failure before it, and began before its backoff was over" },
  { seed: 1130, was: "a clock that jumped forward held back everything that was set to ring after the jump" },
  { seed: 4594, was: "a start that was posted, and then owned by its own process, waited for itself" },
  { seed: 3602, was: "an execution that was let rest while it came into memory was taken for being there" },
  { seed: 5569, was: "a posted start whose first commit landed late left an empty execution in memory" },
  { seed: 28, was: "an undoing in a sub-workflow was given the input of the execution" },
  { seed: 10_382, was: "what an attempt held was given away while its execution was folded again" },
  { seed: 10_970, was: "a capacity was taken twice after a commit had failed" },
  { seed: 11_987, was: "a message that was posted stayed for ever when an earlier try without it landed late" },
  { seed: 1_014_810, was: "an attempt of a step that opened in an earlier round was not lost in a crash" },
  { seed: 1_010_996, was: "a start of an owner that lost the store became durable beside a later one with its key" },
  { seed: 1_011_472, was: "a start that became durable late took the key of another execution" },
  { seed: 1_017_371, was: "a process that crashed after it was closed was blamed for what it had not answered" },
  {
    seed: 2_005_472,
    was: "a posted start whose message an earlier decision took late left an empty execution in memory",
  },
  { seed: 2_004_657, was: "a cancel between an end and a new round, all in one turn, was said not to have counted" },
  { seed: 1981, was: "a message that was put back during a look at the inbox was passed over" },
  { seed: 502_427, was: "a wall clock that was set back held up timers" },
  { seed: 6_003_160, was: "a check did not know that an execution whose step waits for a slot is due at once" },
  { seed: 3_019_684, was: "a stream of events waited for ever when the engine was closed while its journal was read" },
  { seed: 8_019_418, was: "an engine that was closed while an execution came in left a turn of its readers behind" },
  { seed: 7_067_225, was: "attempts of a process that had crashed held what they had while values were read" },
  { seed: 8_019_105, way: "exact", was: "a grace was over at once when the clock had been set back" },
  { seed: 8_029_122, way: "exact", was: "a second grace was over at once when the clock had been set back" },
  { seed: 9_051_618, way: "exact", was: "a backoff was over at once when the clock had been set back" },
  {
    seed: 9_029_847,
    way: "exact",
    was: "a check did not know that an execution may end after the comparison, and be removed",
  },
  {
    seed: 9_081_922,
    was: "a message that led nowhere was kept in hand for ever when the store was lost in that moment",
  },
  { seed: 8_048_383, was: "a scope that was stopped and had not settled yet was taken for an attempt" },
  {
    seed: 50_077_011,
    way: "exact",
    was: "a failure that a map had tolerated stopped its other items only in an execution that was reloaded",
  },
  { seed: 40_031_161, was: "the end of the simulation did not wait for a slow commit of an evicted execution" },
  { seed: 40_021_271, was: "a start that looked for capacity after the engine had closed was never answered" },
  { seed: 10_015_829, was: "a paused execution was due for as long as the pause once a backoff of it was over" },
  {
    seed: 21_013_152,
    way: "exact",
    was: "a force that was armed by a turn without events counted from the event before, and came that much later",
  },
  {
    seed: 70_023_753,
    way: "exact",
    was: "a step was ended by force at the end of another step's grace that was recorded to end at the same time",
  },
  {
    seed: 80_008_885,
    was: "a check counted the wake-up time of a damaged execution that was not due yet as a timer left over",
  },
  {
    seed: 90_015_348,
    way: "exact",
    was: "the model opened two called workflows in two turns, so the first took slots before the second was there",
  },
  {
    seed: 130_061_599,
    was: "the simulator counted the resources of an attempt that had ended, and whose end was not recorded yet",
  },
  {
    seed: 140_042_135,
    was: "a retry was refused without a code while an acknowledged start of the same id was held back",
  },
  {
    seed: 140_040_008,
    was: "recorded calls of calm agents took longer than the timeout of their step, so an execution did not end in time",
  },
  {
    seed: 150_004_066,
    was: "the next iteration of a repetition that was not its turn yet in a new round never began",
  },
];
