// A process that is killed after a backup is written and before it is published: argv has the store and the copy.

import { WholeFile } from "../../src/store/whole-file.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";

const [, , file, copy] = process.argv;
const store = await openSqliteStore(file!, { readOnly: true });
WholeFile.prototype.publish = () => process.kill(process.pid, "SIGKILL");
await store.backup(copy!);
