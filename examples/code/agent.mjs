// An agent that is a script: it reads its task from the context file and edits files, as a coding agent would do it. The
// first version of the receipt has a bug on purpose, so that a fix task has something to repair.

import { readFileSync, writeFileSync } from "node:fs";

const { task } = JSON.parse(readFileSync(process.env.SEGNO_CONTEXT_FILE, "utf8"));
const { taskId, data, fix } = task;
const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const say = (text) => print({ segno: 1, type: "progress", text });

const SHOP = "src/shop.ts";
const sum = (body) => readFileSync(SHOP, "utf8").replace(/return items\.reduce.*/u, body);

const tasks = {
  money() {
    writeFileSync(
      "src/money.ts",
      `export function formatAmount(amount: number): string {\n  return \`\${amount.toFixed(2)} ${data.currency}\`;\n}\n`,
    );
  },
  cart() {
    writeFileSync(SHOP, sum("return items.reduce((sum, item) => sum + item.price * item.quantity, 0);"));
  },
  discount() {
    writeFileSync(SHOP, sum(`return items.reduce((sum, item) => sum + item.price, 0) * (1 - ${data.percent} / 100);`));
  },
  receipt() {
    writeReceipt("items.map(({ name }) => name)");
    writeFileSync(
      "test/receipt.test.ts",
      `import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { receipt } from "../src/receipt.ts";\n\ntest("a receipt has a line for each item and one for the total", () => {\n  const lines = receipt([{ name: "tea", price: 2, quantity: 3 }]).split("\\n");\n  assert.equal(lines.length, 2);\n  assert.match(lines[0]!, /tea/);\n});\n`,
    );
  },
  docs() {
    const readme = readFileSync("README.md", "utf8");
    writeFileSync("README.md", `${readme}\nEvery cart gets a discount; see \`total\` in src/shop.ts.\n`);
  },
};

function writeReceipt(lines) {
  writeFileSync(
    "src/receipt.ts",
    `import { formatAmount } from "./money.ts";\nimport { total, type Item } from "./shop.ts";\n\nexport function receipt(items: readonly Item[]): string {\n  return [...${lines}, ${lines.includes("price") ? "`total ${formatAmount(total(items))}`" : ""}].join("\\n");\n}\n`,
  );
}

/** Keeps both sides of a conflict in \`total\`. */
function resolveConflict() {
  const percent = /1 - (\d+) \/ 100/u.exec(readFileSync(SHOP, "utf8"))?.[1] ?? "0";
  const both = `  return items.reduce((sum, item) => sum + item.price * item.quantity, 0) * (1 - ${percent} / 100);\n`;
  writeFileSync(SHOP, readFileSync(SHOP, "utf8").replace(/<<<<<<<[\s\S]*>>>>>>>[^\n]*\n/u, both));
}

if (fix === undefined) {
  say(`working on ${taskId}`);
  tasks[taskId]();
} else if (fix.conflicts !== undefined) {
  say(`resolving the conflict in ${fix.conflicts.files.map(({ path }) => path).join(", ")}`);
  resolveConflict();
} else {
  say(`repairing ${fix.error.type}`);
  writeReceipt("items.map(({ name, price, quantity }) => `${name} ${formatAmount(price * quantity)}`)");
}
print({ segno: 1, type: "usage", inputTokens: 1200, outputTokens: 300, costUsd: 0.01 });
writeFileSync(
  process.env.SEGNO_RESULT_FILE,
  JSON.stringify({ status: "succeeded", summary: fix ? `repaired ${taskId}` : `did ${taskId}` }),
);
