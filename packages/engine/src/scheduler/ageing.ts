// Ageing: how waiting raises the rank of a step (SCHED-2).

/** So much waiting is worth as much as one step of priority. */
export const AGEING_MS = 10_000;
