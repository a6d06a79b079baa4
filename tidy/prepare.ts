// What `npm ci` does at its end. A checkout works without it, only more slowly, so nothing here makes an installation fail.

import { bundleCommand } from "./bundle.ts";

try {
  await bundleCommand();
} catch (error) {
  console.log(`The command starts from its sources: ${error instanceof Error ? error.message : String(error)}`);
}
