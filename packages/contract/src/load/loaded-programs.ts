// The programs of loaded contracts. Loading a contract compiles it to find its problems; the engine runs that same program
// instead of compiling the definition again.
//
//   L1. A definition here is frozen with everything in it, so that it always agrees with its program.

import { compileDefinition, compileOrThrow, type CompileResult, type Definition, type Program } from "@segno/kernel";

const programs = new WeakMap<Definition, Program>();

/** For a definition that is frozen with everything in it (L1). */
export function keepProgram(definition: Definition, program: Program): void {
  programs.set(definition, program);
}

/** Like `compileOnce`, and throws DEFINITION_INVALID for a definition with problems. */
export function programFor(definition: Definition): Program {
  return programs.get(definition) ?? compileOrThrow(definition);
}

/** Returns the program that was kept when the definition was loaded, and compiles any other definition. */
export function compileOnce(definition: Definition): CompileResult {
  const program = programs.get(definition);
  return program === undefined ? compileDefinition(definition) : { kind: "program", program };
}
