// examples/approval/approval.ts
import { Engine, loadContractFile } from "segno";

await using engine = await Engine.open({ store: "none" });
const asked = new Promise<void>((resolve) => {
  engine.subscribe({}, ({ events }) => {
    if (events.some(({ kind }) => kind === "step.suspended")) resolve();
  });
});
const release = await engine.start(await loadContractFile("examples/approval/approval.yaml"), { tag: "v1" });
await asked;

const question = async (): Promise<string> => {
  const [waiting] = await engine.why(release.id, "ask");
  if (waiting?.reason.kind !== "approval") return "nothing is asked";
  const { message, approved, quorum, changes } = waiting.reason;
  return `${message} ${approved.length} of ${quorum}${changes === undefined ? "" : `, but: ${changes.comment}`}`;
};

await release.approve("ask", { by: "ann" });
console.log(await question());
await release.requestChanges("ask", { by: "bob", comment: "name the authors" });
console.log(await question());

console.log(await release.approve("ask", { by: "eve" }));
await release.approve("ask", { by: "bob", id: "bob-2" });
console.log(await release.approve("ask", { by: "bob", id: "bob-2" }));
await release.approve("ask", { by: "ann", comment: "much better" });
console.log(await release.result());
