// npm run build: fills dist/ with what `npm publish` takes, one folder a package.

import { rmSync } from "node:fs";
import { join } from "node:path";

import { buildPackages } from "./publishable.ts";
import { ROOT } from "./repository.ts";

const target = join(ROOT, "dist");
rmSync(target, { recursive: true, force: true });
for (const name of await buildPackages(target)) console.log(`dist/${name}`);
