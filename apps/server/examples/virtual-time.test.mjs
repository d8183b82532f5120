// Tests of an app against a test world: an arrival, a day of failed webhooks, and the end of a connection after 90
// days. They take seconds, because they move the clock of the test world. Start the world and the tests with:
// DATA_DIR=./test-world ALLOW_INSECURE_WEBHOOKS=true npm start -- --clock virtual --seed app
// SERVICE=http://localhost:8080 node --test virtual-time.test.mjs
import assert from "node:assert/strict"
import { after, before, beforeEach, test } from "node:test"
import { createClient } from "@place-access/adapters-http/client"
import { verify } from "@place-access/adapters-webhook/verify"
import express from "express"

const service = process.env.SERVICE ?? "http://localhost:8080"
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

// ---- the world: its clock and its snapshots

/** What the world's clock shows. The app under test must read this clock wherever it reads a time. */
let now = 0

const dev = async (path, body) => {
  const answer = await fetch(`${service}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  const json = await answer.json()
  assert.equal(answer.status, 200, json.message)
  now = Date.parse(json.now)
  return json.happened
}
const advance = (span) => dev("/dev/clock", { advance: span })

// ---- the app: a receiver of webhooks. A test makes the receiver fail by setting `status`.

let received = []
let status = () => 204
let secret

const receive = async (request, response) => {
  const header = request.get("x-service-signature")
  // The service signs with the time of the world's clock, so a signature is judged by that clock.
  const clock = await (await fetch(`${service}/dev/clock`)).json()
  const result = await verify({ payload: request.body, header, secrets: [secret], now: Date.parse(clock.now) })
  if (!result.ok) return response.status(400).end()
  received.push({ at: result.signedAtS * SECOND, event: JSON.parse(result.body) })
  response.status(status()).end()
}

const app = express()
app.post("/webhooks", express.raw({ type: () => true }), (request, response, next) => {
  receive(request, response).catch(next)
})
const server = app.listen(0, "127.0.0.1")
after(() => {
  server.closeAllConnections()
  server.close()
})

// ---- once: a developer, an app with a webhook, a test person with a rule, and a snapshot of all that

let person
let credentials

before(async () => {
  let cookie = ""
  const post = async (path, body) => {
    const answer = await fetch(`${service}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: new URL(service).origin, cookie },
      body: JSON.stringify(body)
    })
    cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? cookie
    const json = await answer.json()
    assert.ok(answer.ok, json.message)
    return json
  }
  const account = { email: `dev-${process.pid}@example.test`, password: "correct horse battery staple" }
  await post("/v1/accounts", account)
  await post("/v1/session", account)
  const scopes = ["location.rules.place", "location.place.current"]
  const made = await post("/v1/developer/apps", { name: "Umbrella", description: "Reminds you of it", scopes })
  credentials = await post(`/v1/oauth/clients/${made.id}`, { redirectUris: ["http://127.0.0.1:9/callback"] })
  const url = `http://127.0.0.1:${server.address().port}/webhooks`
  ;({ secret } = await post(`/v1/developer/apps/${made.id}/webhooks`, { url, events: ["rule.fired"] }))

  const client = newClient()
  person = await client.testPeople.create({ places: [{ label: "Home", lat: 52.37, lon: 4.89 }] })
  await client.authorization.useTokens(person.tokens)
  await client.placeRules.create({ type: "enter", place_id: person.places[0].id })
  // A rule fires only for fixes that are later than the rule. The world's clock moves only by orders like this one, so
  // the next fix is then later.
  await advance("10m")
  await dev("/dev/snapshot", { save: "start" })
})

const newClient = () => {
  const { clientId, clientSecret } = credentials
  return createClient({ baseUrl: service, clientId, clientSecret, runtime: { now: () => now } })
}

/** A client with the tokens of the test person, as the snapshot has them. */
const connected = async () => {
  const client = newClient()
  await client.authorization.useTokens(person.tokens)
  return client
}

beforeEach(async () => {
  await dev("/dev/snapshot", { restore: "start" })
  received = []
  status = () => 204
})

const arrive = async (client) => {
  await client.testPeople.simulate(person.id, { trip: "arrive", place_id: person.places[0].id })
  // The service sends webhooks also while the clock stands still. Advancing by 0 s waits until the service has sent
  // them.
  await advance("0s")
}

// ---- the tests

test("the app hears of an arrival, and can ask where the person is", async () => {
  const client = await connected()
  await arrive(client)
  assert.deepEqual(
    received.map(({ event }) => event.type),
    ["place.enter"]
  )
  assert.equal((await client.answers.currentPlace()).place.label, "Home")
})

test("the app is out of order for most of a day, and gets the event at the seventh attempt", async () => {
  const client = await connected()
  status = () => (received.length < 7 ? 503 : 204)
  await arrive(client)
  const happened = await advance("24h")
  const waits = received.slice(1).map(({ at }, index) => at - received[index].at)
  assert.deepEqual(waits, [30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR])
  assert.equal(new Set(received.map(({ event }) => event.event_id)).size, 1)
  assert.deepEqual(
    happened.filter(({ what }) => what === "webhook").map((attempt) => attempt.status),
    [503, 503, 503, 503, 503, 204]
  )
})

test("the connection ends after 90 days, and not a minute before", async () => {
  const client = await connected()
  await advance("89d")
  assert.ok(await client.me())
  await advance("1d")
  await assert.rejects(() => client.me(), { name: "PlaceAccessError" })
})
