// Agents that are modules: a file or a package, and the name of what it exports.
//
// Job: finding the module, importing it when it is first needed, and making an agent of what it exports. Threads use it as
// well, so nothing heavy is imported here: a thread should be ready soon.
// Not its job: which module belongs to which agent, and on which thread it runs.
//
//   M1. A module is imported once in a thread, whoever asks. A failed import is forgotten: the next attempt tries again.
//       What the module imports itself is remembered by Node.js all the same, failures too; only a new thread forgets it.
//   M2. Nothing is imported or called before the first attempt (CONTRACT-10), nor when the attempt was stopped (CANCEL-1).
//   M3. A module that cannot be used fails the attempt with `AGENT_MODULE_INVALID`: for good where the module is to blame,
//       by the error that its own code threw where that is behind it (FAIL-1).

import { existsSync } from "node:fs";
import nodeModule from "node:module";
import { isAbsolute, resolve as absolute } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { functionAgent, isAgent, type Agent, type AgentFunction } from "../agents/agent.ts";

/** Known by its code; by its name it is tried again or not. */
class AgentModuleError extends Error {
  override readonly name: string;
  readonly code = "AGENT_MODULE_INVALID";

  constructor(message: string, cause?: unknown, isPermanent = true) {
    super(message, cause === undefined ? {} : { cause });
    this.name = isPermanent ? "PermanentError" : "AgentModuleError";
  }
}

/**
 * A path or file URL is taken from the folder, anything else is the name of a package that can be seen from there. A name
 * that is none is taken for a path: that there is nothing is said by the attempt that needs it (M3).
 */
export function modulePath(folder: string, module: string): string {
  if (module.startsWith("file:")) return pathOfUrl(module) ?? absolute(folder, module);
  if (/^\.\.?(?:[/\\]|$)/u.test(module) || isAbsolute(module)) return absolute(folder, module);
  const url = packageUrl(folder, module);
  return url?.startsWith("file:") === true ? fileURLToPath(url) : absolute(folder, module);
}

/** Nothing for a URL that is none of a file here, such as one with a host. */
function pathOfUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/** Node.js resolves from the file that asks. For as long as it looks for this one name, it is told that the folder asks. */
function packageUrl(folder: string, name: string): string | undefined {
  const parentURL = pathToFileURL(`${absolute(folder)}/`).href;
  const hooks = nodeModule.registerHooks({
    resolve: (specifier, context, next) => next(specifier, { ...context, parentURL }),
  });
  try {
    return import.meta.resolve(name);
  } catch {
    return undefined;
  } finally {
    hooks.deregister();
  }
}

/** `path` is absolute (`modulePath`). What the agent says about itself is known only once it is loaded. */
export function moduleAgent(path: string, exportName: string): Agent {
  let loading: Promise<Agent> | undefined;
  let loaded: Agent | undefined;
  const load = async (): Promise<Agent> => {
    try {
      return (loaded = await agentFrom(path, exportName));
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  return {
    get needsOutputs(): boolean {
      return loaded?.needsOutputs !== false;
    },
    get timeoutMs(): number | undefined {
      return loaded?.timeoutMs;
    },
    async execute(outputs, context): Promise<unknown> {
      const agent = loaded ?? (await (loading ??= load()));
      context.signal.throwIfAborted();
      return agent.execute(outputs, context);
    },
    /** One that was given up before its agent was loaded is not called (M2): there is nobody to tell. */
    abandoned: (context) => loaded?.abandoned?.(context),
  };
}

type Namespace = Readonly<Record<string, unknown>>;

const imports = new Map<string, Promise<Namespace>>();
const failures = new Map<string, number>();

function importOnce(path: string): Promise<Namespace> {
  const known = imports.get(path);
  if (known !== undefined) return known;
  const namespace = import(/* @vite-ignore */ toImportUrl(path)) as Promise<Namespace>;
  imports.set(path, namespace);
  namespace.catch(() => {
    imports.delete(path);
    failures.set(path, (failures.get(path) ?? 0) + 1);
  });
  return namespace;
}

/** Node.js remembers a failure by its URL, so that another try needs another one. */
function toImportUrl(path: string): string {
  const again = failures.get(path);
  return pathToFileURL(path).href + (again === undefined ? "" : `?again=${again}`);
}

async function agentFrom(path: string, exportName: string): Promise<Agent> {
  const exported = await importExport(path, exportName);
  const agent = asAgent(exported, `the export \`${exportName}\` of the agent module ${path}`);
  if (agent !== undefined) return agent;
  const found = exported === null ? "null" : typeof exported;
  throw new AgentModuleError(
    `the export \`${exportName}\` of the agent module ${path} is neither a function nor an agent, but ${found}`,
  );
}

async function importExport(path: string, exportName: string): Promise<unknown> {
  const namespace = await importOnce(path).catch((error: unknown) => {
    const why = existsSync(path) ? thrownMessage(error) : "there is no such file, nor a package of that name";
    throw new AgentModuleError(`the agent module ${path} cannot be loaded: ${why}`, error, isLoaders(error));
  });
  if (Object.hasOwn(namespace, exportName)) return namespace[exportName];
  throw new AgentModuleError(
    `the agent module ${path} has no export \`${exportName}\`; ${await listExports(namespace, exportName)}`,
  );
}

async function listExports(namespace: Namespace, wanted: string): Promise<string> {
  const names = Object.keys(namespace).filter((name) => name !== "module.exports");
  if (names.length === 0) return "it exports nothing";
  const { closest } = await import("@segno/kernel");
  const near = closest(wanted, names);
  const list = names.map((name) => `\`${name}\``).join(", ");
  return `it exports ${list}${near === undefined ? "" : `; did you mean \`${near}\`?`}`;
}

function asAgent(exported: unknown, what: string): Agent | undefined {
  if (isAgent(exported)) return exported;
  if (typeof exported !== "function") return undefined;
  const prototype: unknown = exported.prototype;
  if (isAgent(prototype)) return instantiate(exported as AgentClass, what);
  if (/^class\b/u.test(Function.prototype.toString.call(exported)))
    throw new AgentModuleError(`${what} is a class without a method \`execute\`; extend \`BaseAgent\``);
  return functionAgent(exported as AgentFunction);
}

type AgentClass = new () => Agent;

function instantiate(agentClass: AgentClass, what: string): Agent {
  if (agentClass.length > 0)
    throw new AgentModuleError(`${what} is a class whose constructor needs arguments; export an instance`);
  try {
    return new agentClass();
  } catch (error) {
    throw new AgentModuleError(`${what} cannot be constructed: ${thrownMessage(error)}`, error, false);
  }
}

/** Whether Node.js could not load it, in contrast to what the module's own code threw. */
function isLoaders(error: unknown): boolean {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  return name === "SyntaxError" || (typeof code === "string" && code.startsWith("ERR_"));
}
