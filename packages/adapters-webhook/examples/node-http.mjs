// Receives webhooks with nothing but Node.js: WEBHOOK_SECRETS=whsec_… node node-http.mjs
import { createServer } from "node:http"
import { verify } from "@place-access/adapters-webhook/verify"

// The endpoint's secret. For the day of a rotation the new one and the old one, with a comma between them.
const secrets = (process.env.WEBHOOK_SECRETS ?? "").split(",").map((secret) => secret.trim())
const MAX_BYTES = 64 * 1024

// Yours: insert into a table with event_id as its key, on conflict do nothing. True if the event was not there.
const stored = new Map()
const store = (event) => !stored.has(event.event_id) && Boolean(stored.set(event.event_id, event))

// Yours: whatever takes long. It begins after the answer, which we wait for no longer than 5 s.
const work = async (event) => {
  console.log(`handled ${event.event_id} ${event.type}`)
}

/** The bytes as they came; undefined when there are too many. */
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
