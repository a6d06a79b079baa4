// The planted bugs of code workflows, and the part of this workspace that they need.

import { fileURLToPath } from "node:url";
import type { CopiedWorkspace, Mutant } from "@segno/engine/testing";
import { FIXING } from "./fixing.ts";
import { KEEPING } from "./keeping.ts";
import { LANDING } from "./landing.ts";

export const CODE_MUTANTS: readonly Mutant[] = [...LANDING, ...KEEPING, ...FIXING];

export const CODE_WORKSPACE: CopiedWorkspace = {
  root: fileURLToPath(new URL("../../../../../", import.meta.url)),
  packages: ["kernel", "planner", "contract", "engine", "code"],
  script: "packages/code/test/simulation/run.ts",
};
