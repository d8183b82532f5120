// Receives webhooks with Fastify: WEBHOOK_SECRETS=whsec_… node fastify.mjs
import { fastify } from "fastify"
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

const app = fastify()

// The signature is over the bytes as they arrived, so Fastify must not parse JSON in this scope.
app.register(async (webhooks) => {
  const asItCame = { parseAs: "buffer", bodyLimit: 64 * 1024 }
  webhooks.addContentTypeParser("application/json", asItCame, (_request, body, done) => done(null, body))

  webhooks.post("/webhooks", async (request, reply) => {
    const header = request.headers["x-service-signature"]
    const result = await verify({ payload: request.body, header, secrets })
    if (!result.ok) {
      console.error(`webhook refused, ${result.reason}: ${result.message}`)
      return reply.code(400).send()
    }
    const event = JSON.parse(result.body)
    const isNew = store(event)
    reply.code(204).send()
    if (isNew) work(event).catch((error) => console.error("webhook failed:", error))
    return reply
  })
})

await app.listen({ port: Number(process.env.PORT ?? 3000) })
console.log(`listening on port ${app.server.address().port}`)
