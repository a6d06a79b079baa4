import { MemoryStore } from "../../src/stores/memory/memory-store.ts";
import { storeContract } from "./contract/store-contract.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();

storeContract("memory store", async (options) => ({ store: new MemoryStore(options), freeFile: scratch.file() }));
