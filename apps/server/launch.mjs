// Where the server's bundle begins: the program itself is loaded once the Node that runs it is known to be new enough.
import { requireNode } from "../worker/src/process/node-version.mjs"

requireNode()
await import("./src/main.ts")
