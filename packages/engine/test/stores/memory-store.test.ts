import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { storeContract } from "./contract/store-contract.ts";

storeContract("memory store", async (options) => ({ store: new MemoryStore(options) }));
