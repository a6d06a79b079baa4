// examples/welcome/main.ts
import { Engine } from "segno";
import { welcome } from "./welcome.ts";

await using engine = await Engine.open({ workflows: [welcome] }); // the journal is in .segno/
const execution = await engine.start(welcome, { name: "Ada" });
console.log(await execution.result());
