// `segno signal`: sends a signal to an execution, in whichever process it runs. The signal is stored until a step waits for
// it (BEYOND-2).

import { randomUUID } from "node:crypto";

import type { CommandResult, ExecutionHandle } from "@segno/engine";
import type { Json } from "@segno/kernel";

import type { ExitCode } from "../errors/exit-code.ts";
import type { ControlOptions } from "../reports/control-report.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, ID_HELP, jsonOption, serverOption, type CommandRegistry } from "./command-registry.ts";

interface SignalOptions extends ControlOptions {
  readonly payload?: string;
  readonly id?: string;
}

export function addSignal(registry: CommandRegistry): void {
  registry
    .add("signal", [
      "segno signal @last go",
      `segno signal 01a1e272 paid --payload '{"amount":7}' --id invoice-1`,
      "segno signal @last paid --payload @payment.json",
    ])
    .description("send a signal to an execution, which stores it until a step waits for it")
    .argument("<id>", ID_HELP)
    .argument("<name>", "the name of the signal")
    .option("--payload <json>", "its payload as JSON, or @file")
    .option("--id <id>", "the id of the signal; signals with the same id count once")
    .addOption(jsonOption("the result"))
    .addOption(databaseOption())
    .addOption(serverOption())
    .action(registry.handler(signal));
}

async function signal(id: string, name: string, options: SignalOptions, terminal: Terminal): Promise<ExitCode> {
  const { readInputArgument } = await import("../document/input-argument.ts");
  const payload: Json = options.payload === undefined ? null : await readInputArgument(options.payload, "--payload");
  const { openToControl } = await import("../remote/open-inspected.ts");
  const { findExecution } = await import("../lookup/find-execution.ts");
  const { sendMessage } = await import("../control/send-message.ts");
  await using engine = await openToControl(options);
  const handle = await findExecution(engine, id);
  const signalId = options.id ?? randomUUID();
  const delivery = await sendMessage(handle, {
    id: signalId,
    send: (target) => sendSignal(target, name, payload, signalId),
  });
  const { printDelivery } = await import("../reports/delivery-report.ts");
  const { describeReceipt } = await import("../reports/signal-report.ts");
  return printDelivery({
    verb: "signal",
    what: "signal",
    id: handle.id,
    delivery,
    ...describeReceipt(name, delivery),
    facts: { signal: name, signalId },
    isElsewhere: !engine.isOwner,
    options,
    terminal,
  });
}

/** The journal records a signal with an invalid payload, with the step that refused it. */
async function sendSignal(handle: ExecutionHandle, name: string, payload: Json, id: string): Promise<CommandResult> {
  const { SegnoError } = await import("@segno/kernel");
  try {
    return await handle.signal(name, payload, { id });
  } catch (error) {
    if (error instanceof SegnoError && error.code === "SIGNAL_INVALID") return { kind: "accepted" };
    throw error;
  }
}
