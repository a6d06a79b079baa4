// The custom strategy that the configuration names.

import { isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { CodeError } from "../errors/code-error.ts";
import type { SchedulingStrategy } from "../scheduling/scheduling-strategy.ts";

/** A module of a custom strategy exports `strategy`: an object with `selectTask`, or a class of such objects. */
export async function loadStrategy(module: string): Promise<SchedulingStrategy> {
  const url = pathToFileURL(isAbsolute(module) ? module : resolve(module)).href;
  const { strategy: exported } = (await import(url).catch((error: unknown) => {
    throw new CodeError("CONFIGURATION_INVALID", `the module \`${module}\` of the strategy cannot be loaded`, error);
  })) as { readonly strategy?: unknown };
  const made = typeof exported === "function" ? new (exported as new () => unknown)() : exported;
  if (typeof (made as Partial<SchedulingStrategy> | undefined)?.selectTask !== "function")
    throw new CodeError(
      "CONFIGURATION_INVALID",
      `the module \`${module}\` exports no \`strategy\` with \`selectTask\``,
    );
  return made as SchedulingStrategy;
}
