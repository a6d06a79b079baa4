// The custom strategy that the configuration names.

import { pathToFileURL } from "node:url";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { CodeError } from "../errors/code-error.ts";
import type { SchedulingStrategy } from "../scheduling/scheduling-strategy.ts";

/** A module of a custom strategy exports `strategy`: an object with `selectTask`, or a class of such objects. */
export async function loadStrategy(module: string): Promise<SchedulingStrategy> {
  const { strategy: exported } = (await import(pathToFileURL(module).href).catch((error: unknown) => {
    throw invalid(`the module \`${module}\` of the strategy cannot be loaded: ${thrownMessage(error)}`, error);
  })) as { readonly strategy?: unknown };
  const made = typeof exported === "function" ? construct(exported as new () => unknown, module) : exported;
  if (typeof (made as Partial<SchedulingStrategy> | null | undefined)?.selectTask !== "function")
    throw invalid(`the module \`${module}\` exports no \`strategy\` with \`selectTask\``);
  return made as SchedulingStrategy;
}

function construct(exported: new () => unknown, module: string): unknown {
  try {
    return new exported();
  } catch (error) {
    throw invalid(`the \`strategy\` of the module \`${module}\` cannot be constructed: ${thrownMessage(error)}`, error);
  }
}

function invalid(message: string, cause?: unknown): CodeError {
  return new CodeError("CONFIGURATION_INVALID", message, cause);
}
