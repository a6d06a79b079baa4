// A second proof of ownership on Linux: a socket whose name contains the device and inode of the database.
//
// File operations do not affect the socket, and the system frees its name when the process ends. So the socket holds in
// cases where the lock does not: a copy in the owner's own process dropped the lock, the owner file was deleted, or the
// database was moved or is opened by a second name.
//
//   S1. The name is in the abstract namespace: it leaves no file behind, and it reveals nothing else about the store.
//   S2. The socket adds to the lock and does not replace it. Processes in another network namespace (a container) do
//       not see it.
//   S3. If the socket cannot be created at all, only the lock counts.

import { createServer, type Server } from "node:net";
import type { FileIdentity } from "./file-identity.ts";
import { ownNames, ownerName } from "./owner-name.ts";

export type BindResult =
  | { readonly kind: "bound"; readonly socket: OwnerSocket }
  | { readonly kind: "taken" | "unsupported" };

export class OwnerSocket {
  readonly #server: Server;
  readonly #name: string;

  private constructor(server: Server, name: string) {
    this.#server = server;
    this.#name = name;
    ownNames.add(name);
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
    ownNames.delete(this.#name);
    this.#server.close();
  }
}

/** `exclusive`, because cluster workers would otherwise share one socket. */
function awaitListen(server: Server, path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    server.listen({ path, exclusive: true }, () => resolve(undefined));
    server.unref();
  });
}
