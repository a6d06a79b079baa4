// Scenarios: plays the rows of a table against a run, and compares each claim with the result.

import { expect } from "vitest";

import { readClaim, HAPPENINGS } from "./ledger.ts";
import { Run, type Extras } from "./run.ts";
import { parseTable } from "./table.ts";

export interface Scenario extends Extras {
  readonly name: string;
  readonly table: string;
}

export function scenario(name: string, table: string, extras: Extras = {}): Scenario {
  return { name, table, ...extras };
}

/** Plays a whole scenario and returns the run at its end, for claims that no row can express. */
export function runScenario({ table, ...extras }: Extras & { readonly table: string }): Run {
  const { steps, rows } = parseTable(table, extras.steps);
  const run = new Run({ name: "flow", ...extras.workflow, steps }, extras);
  for (const { text, when, claims } of rows) {
    const [kind = "", ...rest] = when;
    const happen = HAPPENINGS[kind];
    if (happen === undefined) throw new Error(`nothing called \`${kind}\` can happen: ${text}`);
    run.clear();
    happen(run, rest);
    for (const claim of claims) {
      const [found, wanted] = readClaim(run, claim);
      expect(found, `${text}\n  ${claim}`).toEqual(wanted);
    }
  }
  return run;
}
