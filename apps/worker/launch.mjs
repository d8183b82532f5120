// The entry of the worker's bundle. It checks the version of Node first and then loads the program, which an old Node
// could not load.
import { requireNode } from "./src/process/node-version.mjs"

requireNode()
await import("./src/main.ts")
