// Agents that are modules: a file or package, and the name of an export. The export is the agent, or a built workflow whose
// functions have names as agents.
//
// Job: find the module, import it when it is first needed, and make an agent of the export. Threads use this file too,
// so it imports nothing heavy: a thread should start fast.
// Not its job: to know which module belongs to which agent, or which thread it runs on.
//
//   MA1. A module is imported once per thread. A failed import is not cached: the next attempt imports again. Node.js
//        still caches the module's own imports, failed ones included; only a new thread starts without that cache.
//   MA2. Nothing is imported or called before the first attempt (CONTRACT-10), or for an attempt that was aborted
//        (CANCEL-1).
//   MA3. A module that cannot be used fails the attempt with `AGENT_MODULE_INVALID`. If Node.js cannot load the module,
//        or its export is not an agent, the failure is permanent. If the code of the module threw an error, that error
//        decides the failure class (FAIL-1).
//   MA4. A module that is not there ends the attempt with `AGENT_MODULE_MISSING`, which parks the execution (FAIL-9). So does a
//        built workflow without the function, which another version of the module may have (decision 62).

import { existsSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { thrownMessage } from "@segno/kernel/thrown-text";
import type { BuiltWorkflow } from "../registry/registry.ts";
import { agentIn, isBuiltWorkflow } from "../registry/workflow-agents.ts";
import { functionAgent, isAgent, type Agent, type AgentFunction } from "../agents/agent.ts";

interface AgentModuleErrorOptions {
  readonly code?: "AGENT_MODULE_INVALID" | "AGENT_MODULE_MISSING";
  readonly cause?: unknown;
  readonly isPermanent?: boolean;
}

/**
 * The code identifies the error. The name is for the kernel's `classifyError`, which also classifies errors that come
 * from another thread, where an error is no longer an instance of its JavaScript class. A `PermanentError` is
 * permanent; an `AgentModuleError` is classified by its cause (FAIL-1).
 */
class AgentModuleError extends Error {
  override readonly name: string;
  readonly code: "AGENT_MODULE_INVALID" | "AGENT_MODULE_MISSING";

  constructor(message: string, options: AgentModuleErrorOptions = {}) {
    const { code = "AGENT_MODULE_INVALID", cause, isPermanent = true } = options;
    super(message, cause === undefined ? {} : { cause });
    this.name = isPermanent ? "PermanentError" : "AgentModuleError";
    this.code = code;
  }
}

/**
 * An agent that loads its module at the first call. `path` is absolute (`module-path.ts`); `name` is the name of the agent in
 * its workflow, which a thread does not need. Before the module is loaded, `needsDependencyOutputs` is true and there is no `timeoutMs`.
 */
export function moduleAgent(path: string, exportName: string, name?: string): Agent {
  let loading: Promise<Agent> | undefined;
  let loaded: Agent | undefined;
  const load = async (): Promise<Agent> => {
    try {
      return (loaded = await loadAgent(path, exportName, name));
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  return {
    get needsDependencyOutputs(): boolean {
      return loaded?.needsDependencyOutputs !== false;
    },
    get timeoutMs(): number | undefined {
      return loaded?.timeoutMs;
    },
    get checkOutput(): Agent["checkOutput"] {
      return loaded?.checkOutput;
    },
    async execute(dependencyOutputs, context): Promise<unknown> {
      const agent = loaded ?? (await (loading ??= load()));
      context.signal.throwIfAborted();
      await agent.checkInput?.(context);
      return agent.execute(dependencyOutputs, context);
    },
    /**
     * If the attempt was force-stopped before its agent was loaded, the agent is never called (MA2), and there is
     * nothing to notify.
     */
    abandoned: (context) => loaded?.abandoned?.(context),
  };
}

type Namespace = Readonly<Record<string, unknown>>;

const imports = new Map<string, Promise<Namespace>>();
const failureCounts = new Map<string, number>();

function importOnce(path: string): Promise<Namespace> {
  const known = imports.get(path);
  if (known !== undefined) return known;
  const namespace = import(/* @vite-ignore */ toImportUrl(path)) as Promise<Namespace>;
  imports.set(path, namespace);
  namespace.catch(() => {
    imports.delete(path);
    failureCounts.set(path, (failureCounts.get(path) ?? 0) + 1);
  });
  return namespace;
}

/** Node.js caches a failed import by URL, so a retry needs a different URL. */
function toImportUrl(path: string): string {
  const failureCount = failureCounts.get(path);
  return pathToFileURL(path).href + (failureCount === undefined ? "" : `?again=${failureCount}`);
}

async function loadAgent(path: string, exportName: string, name: string | undefined): Promise<Agent> {
  const exported = await importExport(path, exportName);
  if (name !== undefined && isBuiltWorkflow(exported)) return agentOf(exported, name, path);
  const agent = asAgent(exported, `the export \`${exportName}\` of the agent module ${path}`);
  if (agent !== undefined) return agent;
  const type = exported === null ? "null" : typeof exported;
  throw new AgentModuleError(
    `the export \`${exportName}\` of the agent module ${path} is neither a function nor an agent, but ${type}`,
  );
}

function agentOf(workflow: BuiltWorkflow, name: string, path: string): Agent {
  const agent = agentIn(workflow, name);
  if (agent !== undefined) return agent;
  throw new AgentModuleError(
    `the workflow \`${workflow.definition.name}\` of the module ${path} has no function \`${name}\`; the step was renamed or removed`,
    { code: "AGENT_MODULE_MISSING" },
  );
}

async function importExport(path: string, exportName: string): Promise<unknown> {
  const namespace = await importOnce(path).catch((error: unknown) => {
    throw loadError(path, error);
  });
  if (Object.hasOwn(namespace, exportName)) return namespace[exportName];
  throw new AgentModuleError(
    `the agent module ${path} has no export \`${exportName}\`; ${await listExports(namespace, exportName)}`,
  );
}

/** A file or a package that is not there may be there in another process (MA4). */
function loadError(path: string, error: unknown): AgentModuleError {
  const isThere = existsSync(path);
  const isMissing = isThere ? statSync(path).isFile() && isNotFound(error) : isAbsolute(path);
  const why = isThere ? thrownMessage(error) : "there is no such file or package";
  const message = `the agent module ${path} cannot be loaded: ${why}`;
  const code = isMissing ? "AGENT_MODULE_MISSING" : "AGENT_MODULE_INVALID";
  return new AgentModuleError(message, { code, cause: error, isPermanent: isLoaderError(error) });
}

async function listExports(namespace: Namespace, wanted: string): Promise<string> {
  const names = Object.keys(namespace).filter((name) => name !== "module.exports");
  if (names.length === 0) return "it has no exports";
  const { closest } = await import("@segno/kernel");
  const suggestion = closest(wanted, names);
  const list = names.map((name) => `\`${name}\``).join(", ");
  return `it exports ${list}${suggestion === undefined ? "" : `; did you mean \`${suggestion}\`?`}`;
}

function asAgent(exported: unknown, subject: string): Agent | undefined {
  if (isAgent(exported)) return exported;
  if (typeof exported !== "function") return undefined;
  const prototype: unknown = exported.prototype;
  if (isAgent(prototype)) return instantiate(exported as AgentClass, subject);
  if (/^class\b/u.test(Function.prototype.toString.call(exported)))
    throw new AgentModuleError(`${subject} is a class without a method \`execute\`; extend \`BaseAgent\``);
  return functionAgent(exported as AgentFunction);
}

type AgentClass = new () => Agent;

function instantiate(agentClass: AgentClass, subject: string): Agent {
  if (agentClass.length > 0)
    throw new AgentModuleError(`${subject} is a class whose constructor needs arguments; export an instance`);
  try {
    return new agentClass();
  } catch (error) {
    const message = `${subject} cannot be constructed: ${thrownMessage(error)}`;
    throw new AgentModuleError(message, { cause: error, isPermanent: false });
  }
}

/** Whether the module imports a file or a package that is not there. */
function isNotFound(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === "ERR_MODULE_NOT_FOUND";
}

/** Whether Node.js failed to load the module, as opposed to an error thrown by the module's code. */
function isLoaderError(error: unknown): boolean {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  return name === "SyntaxError" || (typeof code === "string" && code.startsWith("ERR_"));
}
