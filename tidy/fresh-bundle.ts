// Vitest calls it before the first test: tests of the command start it some two thousand times, and none of them has to find out
// whether the bundle is older than the sources.

import { bundleCheckout } from "./bundle.ts";

export async function setup(): Promise<void> {
  process.env["SEGNO_FRESH_BUNDLE"] = await bundleCheckout();
}
