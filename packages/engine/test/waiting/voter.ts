// A process that votes, or sends a signal, and ends, like `segno approve` in a second terminal.

import { Engine } from "../../src/index.ts";

/** Its arguments: the journal, the execution, the operation, and the arguments of the operation. */
export const VOTER: string = import.meta.filename;

if (VOTER === process.argv[1]) {
  const [file, id, deed, ...words] = process.argv.slice(2) as [string, string, string, ...string[]];
  await using engine = await Engine.open({ file, mode: "post" });
  const handle = await engine.get(id);
  const [first = "", by = "", vote = ""] = words;
  const reception =
    deed === "signal"
      ? await handle.signal(first, JSON.parse(by), { id: vote })
      : await handle.approve(first, { by, id: vote });
  process.stdout.write(JSON.stringify(reception));
}
