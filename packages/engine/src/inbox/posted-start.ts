// Starts that other processes posted: their programs, and the reasons why they cannot be delivered.

import { SegnoError, type Program } from "@segno/kernel";
import type { Journals } from "../executions/journals.ts";
import type { Message } from "../store/store.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { StartCommand } from "./command.ts";

/** The program of the definition that came with a start; an error if there is none, or if it cannot run. */
export async function startProgram(journals: Journals, command: StartCommand): Promise<Program | SegnoError> {
  try {
    for (const { definition } of command.workflows ?? []) await journals.definition(definition);
    return await journals.definition(command.definition);
  } catch (error) {
    if (!(error instanceof SegnoError) || error instanceof StoreFault) throw error;
    return error;
  }
}

/** A message that cannot be parsed may come from another program, or may be damaged. */
export function unread({ id, execution }: Message): StoreFault {
  const why = `the message ${id} for the execution ${execution} is not a valid command and was discarded`;
  return new StoreFault("STORE_CORRUPT", why);
}

/** A message that the codec cannot decode may be readable later: a key may not have reached this process yet. */
export function undecodable({ id, execution }: Message): StoreFault {
  const why = `the codec cannot decode the message ${id} for the execution ${execution}; it stays posted`;
  return new StoreFault("STORE_CODEC", why);
}

/** An execution that the store will refuse has the id of an acknowledged start. The start is delivered when it is gone. */
export class StartHeldBack extends Error {}
