// What tests get under the name `fast-check`: the same library, with a fixed seed, so that the result of a test depends on
// the commit alone. `SEGNO_PROPERTY_SEED` is another seed, or `random`; fast-check prints the seed of a failure.

import { configureGlobal } from "../node_modules/fast-check/lib/fast-check.js";

const FIXED = 20_251_118;
const chosen = process.env["SEGNO_PROPERTY_SEED"] ?? String(FIXED);
if (chosen !== "random" && !/^-?\d+$/u.test(chosen)) throw new Error(`SEGNO_PROPERTY_SEED is not a number: ${chosen}`);
if (chosen !== "random") configureGlobal({ seed: Number(chosen) });

export * from "../node_modules/fast-check/lib/fast-check.js";
