// Ageing: how waiting raises the rank of a step (SCHED-2).

/** Waiting this long counts as much as one level of priority. */
export const AGEING_MS = 10_000;
