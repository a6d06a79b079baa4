// Closes guarded connections that are still open when the process exits, without removing the log (Q4). Otherwise
// Node.js closes them itself, in an arbitrary order.

interface Closable {
  close(options: { readonly keepsLog: boolean }): void;
}

const open = new Set<Closable>();
let isListening = false;

export function closeAtExit(connection: Closable): void {
  open.add(connection);
  if (!isListening) process.once("exit", closeAll);
  isListening = true;
}

export function forgetClosed(connection: Closable): void {
  open.delete(connection);
}

function closeAll(): void {
  for (const connection of open) connection.close({ keepsLog: true });
}
