// The agents that a user has configured, by name.
//
//   AC1. A configuration that cannot work is refused when it is read, not when the first task starts.
//   AC2. A program with a slash in its name is found from the folder of this process, never from a workspace: an agent
//        could replace a program there.

import { resolve } from "node:path";
import { closest } from "@segno/kernel";
import { CodeError } from "../errors/code-error.ts";
import { PRESETS, type AgentPreset, type PresetName } from "./presets.ts";

/** The options of every agent. */
export interface AgentOptions {
  /** Environment variables of the agent. */
  readonly env?: Readonly<Record<string, string>>;
  /** More variables of the user that are passed on to the agent; a trailing `*` matches any suffix. */
  readonly inherits?: readonly string[];
  /** The agent is ended if it writes nothing for this time. The default is 5 minutes. */
  readonly stallMs?: number;
}

/** A program and its arguments. */
export interface ProgramConfiguration extends AgentOptions {
  readonly command: readonly string[];
}

/** An agent that Segno knows by name. */
export interface PresetConfiguration extends AgentOptions {
  readonly preset: PresetName;
}

/** A program that speaks the Agent Client Protocol, and its arguments. */
export interface AcpConfiguration extends AgentOptions {
  readonly acp: readonly string[];
}

/** An agent that is a command. */
export type CommandConfiguration = ProgramConfiguration | PresetConfiguration;

/** An agent as a template or a program configures it: a command, or a program that speaks ACP. */
export type AgentConfiguration = CommandConfiguration | AcpConfiguration;

/** Variables that Segno sets itself. */
const OWN_PREFIX = "SEGNO_";

export class ConfiguredAgents {
  readonly #agents = new Map<string, AgentPreset>();
  readonly #default: string | undefined;

  constructor(agents: Readonly<Record<string, CommandConfiguration>>, defaultName: string | undefined) {
    for (const [name, configuration] of Object.entries(agents)) this.#agents.set(name, toPreset(name, configuration));
    if (this.#agents.size === 0) throw invalid("no agent is configured");
    this.#default = defaultName ?? (this.#agents.size === 1 ? this.#agents.keys().next().value : undefined);
    if (this.#default !== undefined) this.find(this.#default);
  }

  /** Throws unless the agent is configured; undefined is the default agent. */
  find(name: string | undefined): { readonly name: string; readonly preset: AgentPreset } {
    const found = name ?? this.#default;
    const preset = found === undefined ? undefined : this.#agents.get(found);
    if (found === undefined || preset === undefined) throw this.#unknown(name);
    return { name: found, preset };
  }

  #unknown(name: string | undefined): CodeError {
    const names = [...this.#agents.keys()];
    const known = names.map((each) => `\`${each}\``).join(", ");
    if (name === undefined)
      return new CodeError("AGENT_UNKNOWN", `a task names no agent, and there is no default; configured are ${known}`);
    const meant = closest(name, names);
    const hint = meant === undefined ? `configured are ${known}` : `did you mean \`${meant}\`?`;
    return new CodeError("AGENT_UNKNOWN", `the agent \`${name}\` is not configured; ${hint}`);
  }
}

function toPreset(name: string, configuration: CommandConfiguration): AgentPreset {
  const preset = "preset" in configuration ? knownPreset(name, configuration.preset) : program(name, configuration);
  const env = { ...preset.env, ...configuration.env };
  const own = Object.keys(env).find((each) => each.startsWith(OWN_PREFIX));
  if (own !== undefined)
    throw invalid(`the agent \`${name}\` sets ${own}; Segno sets variables with that prefix itself`);
  const { inherits = [], stallMs } = configuration;
  return {
    ...preset,
    env,
    inherits: [...preset.inherits, ...inherits],
    ...(stallMs === undefined ? {} : { stallMs }),
  };
}

function knownPreset(name: string, preset: PresetName): AgentPreset {
  if (Object.hasOwn(PRESETS, preset)) return PRESETS[preset];
  const meant = closest(preset, Object.keys(PRESETS));
  const hint = meant === undefined ? `there are ${Object.keys(PRESETS).join(", ")}` : `did you mean \`${meant}\`?`;
  throw invalid(`the agent \`${name}\` has the preset \`${preset}\`, which does not exist; ${hint}`);
}

function program(name: string, { command }: ProgramConfiguration): AgentPreset {
  const [file, ...args] = command;
  if (file === undefined || file === "") throw invalid(`the command of the agent \`${name}\` has no program`);
  if (command.some((word) => word.includes("\0")))
    throw invalid(`the command of the agent \`${name}\` holds a NUL character`);
  return { argv: [/[/\\]/u.test(file) ? resolve(file) : file, ...args], inherits: [] };
}

function invalid(problem: string): CodeError {
  return new CodeError("CONFIGURATION_INVALID", problem);
}
