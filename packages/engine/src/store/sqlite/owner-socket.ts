// A second sign of ownership on Linux: a socket whose name is the database's device and inode.
//
// Nothing that happens to files touches it, and it is free the moment its process ends. So it holds where a lock does not:
// when the lock was dropped by a copy that the owner's own process made, when the owner file was deleted, and when the
// database was moved or is opened under a second name.
//
//   S1. The name is in the abstract namespace: no file is left behind, and nothing else on the machine can see the store.
//   S2. It adds to the lock and does not replace it. Processes in another network namespace (a container) do not see it.
//   S3. Where such a socket cannot be made at all, the lock alone counts.

import { createServer, type Server } from "node:net";
import type { FileIdentity } from "./file-identity.ts";
import { namesHere, ownerName } from "./owner-name.ts";

export type BindResult =
  | { readonly kind: "bound"; readonly socket: OwnerSocket }
  | { readonly kind: "taken" | "unsupported" };

export class OwnerSocket {
  readonly #server: Server;
  readonly #name: string;

  private constructor(server: Server, name: string) {
    this.#server = server;
    this.#name = name;
    namesHere.add(name);
  }

  static async bind(database: FileIdentity): Promise<BindResult> {
    if (process.platform !== "linux") return { kind: "unsupported" };
    const name = ownerName(database);
    const server = createServer((socket) => socket.destroy());
    const failure = await awaitListen(server, `\0${name}`);
    if (failure === undefined) return { kind: "bound", socket: new OwnerSocket(server, name) };
    return { kind: failure === "EADDRINUSE" ? "taken" : "unsupported" };
  }

  /** The name is free when this returns. */
  close(): void {
    namesHere.delete(this.#name);
    this.#server.close();
  }
}

/** `exclusive`: the workers of a cluster would otherwise share one socket. */
function awaitListen(server: Server, path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    server.listen({ path, exclusive: true }, () => resolve(undefined));
    server.unref();
  });
}
