// Receives webhooks with Express: WEBHOOK_SECRETS=whsec_… node express.mjs
import express from "express"
import { verify } from "@place-access/adapters-webhook/verify"

// The endpoint's secret. For the day after a rotation: the new and the old secret, separated by a comma.
const secrets = (process.env.WEBHOOK_SECRETS ?? "").split(",").map((secret) => secret.trim())

// Replace this with a table whose key is event_id: insert the event, and on conflict do nothing. Returns true if the
// event was new.
const stored = new Map()
const store = (event) => !stored.has(event.event_id) && Boolean(stored.set(event.event_id, event))

// Replace this with your own work. It runs after the answer, because the service waits for an answer for at most 5 s.
const work = async (event) => {
  console.log(`handled ${event.event_id} ${event.type}`)
}

const receive = async (request, response) => {
  const result = await verify({ payload: request.body, header: request.get("x-service-signature"), secrets })
  if (!result.ok) {
    console.error(`webhook refused, ${result.reason}: ${result.message}`)
    return response.status(400).end()
  }
  const event = JSON.parse(result.body)
  const isNew = store(event)
  response.status(204).end()
  if (isNew) await work(event).catch((error) => console.error("webhook failed:", error))
}

const app = express()

// The signature is over the bytes as they arrived. This route keeps the bytes, so it must come before express.json().
app.post("/webhooks", express.raw({ type: () => true, limit: "64kb" }), (request, response, next) => {
  receive(request, response).catch(next)
})

// The other routes of your app go here.
app.use(express.json())

const server = app.listen(process.env.PORT ?? 3000, () => console.log(`listening on port ${server.address().port}`))
