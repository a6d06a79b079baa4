// Refuses a Node.js that is too old, in one sentence, when a package is imported.
//
//   N1. Every entry of a package that needs Node.js imports this file first, so that it is evaluated first.
//   N2. It imports nothing: modules before it would be evaluated on a Node.js that they were not written for.
//   N3. It runs only after all modules are linked. So no module statically imports a name that an older Node.js lacks, such as
//       `node:sqlite`; modules get such names when they are evaluated.

export const NODE_MAJOR_MIN: number = 24;

/** Has a code of the catalogue, but is not a `SegnoError`, which would have to be imported (N2). */
export class UnsupportedNodeError extends Error {
  override readonly name: string = "UnsupportedNodeError";
  readonly code: string = "NODE_UNSUPPORTED";
}

export function checkNodeVersion(version: string): void {
  if (Number.parseInt(version, 10) >= NODE_MAJOR_MIN) return;
  const error = new UnsupportedNodeError(
    `Segno needs Node.js ${NODE_MAJOR_MIN} or newer, but this is Node.js ${version}: install a newer one from https://nodejs.org.`,
  );
  // The stack would show only the module loader.
  error.stack = `${error.name}: ${error.message}`;
  throw error;
}

checkNodeVersion(process.versions.node);
