// Opens the engine that a command inspects or controls: of a journal on this machine, or behind a server.

import { serverUrl, type JournalOptions } from "../journal/journal-options.ts";
import type { InspectedEngine } from "./inspected-engine.ts";

/** Opens a journal read-only, or asks a server. */
export async function openToInspect(options: JournalOptions): Promise<InspectedEngine> {
  const remote = await openRemote(options);
  if (remote !== undefined) return remote;
  const { openToRead } = await import("../journal/open-engine.ts");
  return openToRead(options);
}

/** Opens an engine that sends a command to an execution, or asks a server to do so. */
export async function openToControl(options: JournalOptions): Promise<InspectedEngine> {
  const remote = await openRemote(options);
  if (remote !== undefined) return remote;
  const { openToAsk } = await import("../journal/open-engine.ts");
  return openToAsk(options);
}

async function openRemote(options: JournalOptions): Promise<InspectedEngine | undefined> {
  const url = serverUrl(options);
  if (url === undefined) return undefined;
  const { openClient } = await import("./open-client.ts");
  const { RemoteEngine } = await import("./remote-engine.ts");
  return new RemoteEngine(openClient(url));
}
