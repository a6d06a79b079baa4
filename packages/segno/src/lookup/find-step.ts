// Finds a step by its name.

import { closest, SegnoError } from "@segno/kernel";

export interface FoundStep {
  readonly name: string;
  /** The step has child steps, whose names begin with its name. */
  readonly isScope: boolean;
}

interface NamedSteps {
  readonly steps: readonly { readonly name: string }[];
}

export function findStep(id: string, { steps }: NamedSteps, wanted: string): FoundStep {
  const names = steps.map(({ name }) => name);
  const isScope = names.some((name) => name.startsWith(`${wanted}/`));
  if (names.includes(wanted)) return { name: wanted, isScope };
  const near = closest(wanted, names);
  const hint = near === undefined ? `; \`segno show ${id}\` lists its steps` : `; did you mean \`${near}\`?`;
  throw new SegnoError("STEP_UNKNOWN", `the execution ${id} has no step \`${wanted}\`${hint}`);
}
