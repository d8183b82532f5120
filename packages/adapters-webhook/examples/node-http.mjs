// Receives webhooks with nothing but Node.js: WEBHOOK_SECRETS=whsec_… node node-http.mjs
import { createServer } from "node:http"
import { verify } from "@place-access/adapters-webhook/verify"

// The endpoint's secret. For the day after a rotation: the new and the old secret, separated by a comma.
const secrets = (process.env.WEBHOOK_SECRETS ?? "").split(",").map((secret) => secret.trim())
const MAX_BYTES = 64 * 1024

// Replace this with a table whose key is event_id: insert the event, and on conflict do nothing. Returns true if the
// event was new.
const stored = new Map()
const store = (event) => !stored.has(event.event_id) && Boolean(stored.set(event.event_id, event))

// Replace this with your own work. It runs after the answer, because the service waits for an answer for at most 5 s.
const work = async (event) => {
  console.log(`handled ${event.event_id} ${event.type}`)
}

/** The bytes of the body as they arrived. Undefined if the body is too large. */
const bodyOf = async (request) => {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const receive = async (request, response) => {
  const payload = await bodyOf(request)
  if (payload === undefined) return response.writeHead(413).end()
  const result = await verify({ payload, header: request.headers["x-service-signature"], secrets })
  if (!result.ok) {
    console.error(`webhook refused, ${result.reason}: ${result.message}`)
    return response.writeHead(400).end()
  }
  const event = JSON.parse(result.body)
  const isNew = store(event)
  response.writeHead(204).end()
  if (isNew) await work(event)
}

const server = createServer((request, response) => {
  if (request.method !== "POST" || request.url !== "/webhooks") return response.writeHead(404).end()
  receive(request, response).catch((error) => {
    console.error("webhook failed:", error)
    if (!response.headersSent) response.writeHead(500).end()
  })
})
server.listen(process.env.PORT ?? 3000, () => console.log(`listening on port ${server.address().port}`))
