// The part of this workspace that the planted bugs of the engine need.

import { fileURLToPath } from "node:url";
import type { CopiedWorkspace } from "../../../src/testing/planted-copy.ts";

export const ENGINE_WORKSPACE: CopiedWorkspace = {
  root: fileURLToPath(new URL("../../../../../", import.meta.url)),
  packages: ["kernel", "planner", "contract", "engine"],
  script: "packages/engine/test/simulation/run.ts",
};
