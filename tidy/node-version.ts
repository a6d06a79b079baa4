// The workspace pins its own Node, and npm scripts run on it. Who starts a script by hand may be on an older one.

const OLDEST_MAJOR = 24;

export function requireNode(): void {
  const complaint = complainAboutNode(process.versions.node);
  if (complaint === null) return;
  console.error(complaint);
  process.exit(1);
}

export function complainAboutNode(version: string): string | null {
  if (Number.parseInt(version, 10) >= OLDEST_MAJOR) return null;
  return (
    `Expected Node ${OLDEST_MAJOR} or newer, found ${version}. After \`npm ci\`, npm scripts run on the pinned Node; ` +
    `where the workspace pins none for your system, install Node ${OLDEST_MAJOR}.`
  );
}
