// `npm run check`: the static part of the tests.

import { runChecks } from "./checks.ts";
import { requireNode } from "./node-version.ts";

requireNode();
const results = await runChecks();
if (results.some((result) => !result.passed)) process.exitCode = 1;
