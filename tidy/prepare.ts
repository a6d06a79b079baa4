// Runs at the end of `npm ci`. A checkout also works without it, but more slowly, so no error here makes an installation fail.

import { bundleCheckout } from "./bundle.ts";

try {
  await bundleCheckout();
} catch (error) {
  console.log(`The command starts from its sources: ${error instanceof Error ? error.message : String(error)}`);
}
