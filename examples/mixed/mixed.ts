// A contract whose agent is a function of this program.

import { Engine, loadContractFile } from "segno";

await using engine = await Engine.open({
  store: "none",
  agents: { "count-letters": (input) => ({ letters: (input as { words: string[] }).words.join("").length }) },
});
const execution = await engine.start(await loadContractFile("examples/mixed/mixed.yaml"), { words: ["dal", "segno"] });
console.log(await execution.result());
