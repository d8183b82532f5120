// A worker of an app: prints the visits of one user since the last run, for a job that a timer starts. Several may run
// at once: they share the file of tokens, and its lock lets one of them refresh.
// SERVICE=https://… CLIENT_ID=… CLIENT_SECRET=… TOKENS=./tokens/user.json SINCE=2026-01-31T00:00:00Z node worker.mjs
import { createClient, isPlaceAccessError } from "@place-access/adapters-http/client"
import { fileTokenStore } from "@place-access/adapters-http/client/fileTokenStore"

const { CLIENT_ID, CLIENT_SECRET, SERVICE, SINCE, TOKENS } = process.env
const client = createClient({
  baseUrl: SERVICE,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  store: fileTokenStore(TOKENS),
  // Nobody waits for the answer of a worker, so it retries more often and waits longer than by default.
  retries: 5,
  longestWaitMs: 300_000
})

// Ends the work when the machine asks the process to stop. A refresh that is under way is still finished and stored.
const stop = new AbortController()
process.once("SIGTERM", () => stop.abort(new Error("stopped")))

try {
  for await (const { arrival, departure, place } of client.visits({ from: SINCE }, { signal: stop.signal })) {
    console.log(`${place.label} ${arrival} ${departure ?? "still there"}`)
  }
  console.log("done")
} catch (error) {
  if (!isPlaceAccessError(error)) throw error
  // The user has disconnected the app, or has to connect again: a person must act, and a retry cannot help.
  console.error(`${error.code}: ${error.message}`)
  process.exitCode = error.code === "not_connected" || error.code === "invalid_grant" ? 2 : 1
}
