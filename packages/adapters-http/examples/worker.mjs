// A job of an app that a timer starts: it prints the visits of one user since the time SINCE. Several processes may run
// at the same time: they share the file of tokens, and the file's lock lets only one process refresh.
// SERVICE=https://… CLIENT_ID=… CLIENT_SECRET=… TOKENS=./tokens/user.json SINCE=2026-01-31T00:00:00Z node worker.mjs
import { createClient, isPlaceAccessError } from "@place-access/adapters-http/client"
import { fileTokenStore } from "@place-access/adapters-http/client/fileTokenStore"

const { CLIENT_ID, CLIENT_SECRET, SERVICE, SINCE, TOKENS } = process.env
const client = createClient({
  baseUrl: SERVICE,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  store: fileTokenStore(TOKENS),
  // Nobody waits for the result of this job, so the job's client retries more often and waits longer than a client does
  // by default.
  retries: 5,
  longestWaitMs: 300_000
})

// SIGTERM aborts the calls. A refresh that is under way still finishes and stores the new tokens. A `process.exit`
// or an error that nobody catches would end the process before the refresh has finished.
const stop = new AbortController()
process.once("SIGTERM", () => stop.abort(new Error("stopped")))

try {
  for await (const { arrival, departure, place } of client.visits({ from: SINCE }, { signal: stop.signal })) {
    console.log(`${place.label} ${arrival} ${departure ?? "still there"}`)
  }
  console.log("done")
} catch (error) {
  // Exit code 2: the user must connect the app again, so a retry cannot help. Exit code 1: SIGTERM or another failure.
  const mustReconnect = ["not_connected", "invalid_grant", "refresh_uncertain"].includes(error?.code)
  process.exitCode = mustReconnect ? 2 : 1
  if (error === stop.signal.reason) console.error("stopped")
  else console.error(isPlaceAccessError(error) ? `${error.code}: ${error.message}` : error)
}
