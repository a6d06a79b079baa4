// A project with modules that build workflows. They import `segno` by its name, as installed.

import { mkdir, symlink, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import type { CommandFixture } from "./command-fixture.ts";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const ZOD = fileURLToPath(new URL("../../../node_modules/zod", import.meta.url));

export async function writeModules(shop: CommandFixture, modules: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(shop.path("node_modules"), { recursive: true });
  await symlink(PACKAGE, shop.path("node_modules/segno"));
  await symlink(ZOD, shop.path("node_modules/zod"));
  await writeFile(shop.path("package.json"), '{ "type": "module" }\n');
  for (const [file, text] of Object.entries(modules)) {
    await mkdir(shop.path(`${file}/..`), { recursive: true });
    await writeFile(shop.path(file), text);
  }
}
