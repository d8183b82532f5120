// The entry of the server's bundle. It checks the version of Node first and then loads the program, which an old Node
// could not load.
import { requireNode } from "../worker/src/process/node-version.mjs"

requireNode()
await import("./src/main.ts")
