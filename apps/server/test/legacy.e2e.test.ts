import { Schema } from "effect"
import { randomBytes } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeServers } from "../../../packages/adapters-pg/test/support/postgres.js"
import { theBrowser } from "../../../packages/domain/test/support/chromium.js"
import { startCallback } from "./support/callback.js"
import { client } from "./support/client.js"
import { approveInBrowser, authorizeUrl, exchangeCode } from "./support/consent.js"
import { addDevice, createApp, createPlace, createRule, RULES_SCOPE, signUp } from "./support/people.js"
import { ridePast, upload } from "./support/phone.js"
import { pkce } from "./support/pkce.js"
import { freePort } from "./support/freePort.js"
import { ready, useProcesses, workerReady } from "./support/processes.js"
import { startReceiver, verifyWithStripe } from "./support/receiver.js"

const PLACE = { label: "Corner café", lat: 52.3702, lon: 4.8952, radiusM: 150 }
const SECRET = "a secret of before endpoints"

const Subscription = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  secret: Schema.String,
  created_at: Schema.String
})
const Event = Schema.parseJson(
  Schema.Struct({ rule_id: Schema.String, subscription_id: Schema.optional(Schema.String) })
)
const decodeEvent = Schema.decodeUnknownSync(Event)

describeServers("receivers from before apps had endpoints", ({ migratedDatabase }) => {
  const processes = useProcesses()
  const after: Array<() => Promise<unknown>> = []
  let environment: Readonly<Record<string, string>>
  let url: string

  beforeAll(async () => {
    const [port, database, folder] = await Promise.all([
      freePort(),
      migratedDatabase(),
      mkdtemp(join(tmpdir(), "place-access-"))
    ])
    url = `http://localhost:${port}`
    environment = {
      DATA_DIR: folder,
      BASE_URL: url,
      LOG_FORMAT: "json",
      ALLOW_INSECURE_WEBHOOKS: "true",
      DATABASE_URL: database.url,
      SECRET_KEYS: `test:${randomBytes(32).toString("base64")}`
    }
    const server = processes.start("server", { ...environment, HOST: "127.0.0.1", PORT: String(port) })
    await ready(server, url)
    const worker = processes.start("worker", environment)
    await workerReady(worker)
    after.push(
      () => Promise.all([server.stop("SIGTERM"), worker.stop("SIGTERM")]),
      () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
      database.drop
    )
  })
  afterAll(async () => {
    for (const end of after) await end()
  })

  it("a worker sends the events of a rule that the command migrated and of a subscription, each signed with its own secret", async () => {
    const [browser, callback, receiver] = await Promise.all([theBrowser(), startCallback(), startReceiver()])
    after.unshift(callback.close, receiver.close)
    const person = await signUp(url, "rider")
    const app = await createApp(person, callback.uri)
    const place = await createPlace(person, PLACE)
    const deviceToken = await addDevice(person)
    const secrets = pkce()
    await approveInBrowser(browser, person, authorizeUrl(url, app, [RULES_SCOPE], secrets), [PLACE.label], callback)
    const code = String((await callback.answer(secrets.state)).get("code"))
    const server = client(url)
    const { access_token: token, sub } = await exchangeCode(server, app, code, secrets.verifier)

    const json = { url: `${receiver.url}/subscribed` }
    const subscription = await server.expect("POST", "/v1/subscriptions", {
      status: 201,
      as: Subscription,
      token,
      json
    })
    const rule = await createRule(server, token, place, "enter")
    const line = {
      id: "rule_of_2019",
      app_id: app.id,
      sub,
      type: "enter",
      place_id: place.id,
      webhook_url: `${receiver.url}/own`,
      secret: SECRET,
      created_at: "2019-03-01T08:00:00.000Z"
    }
    const file = join(environment["DATA_DIR"] ?? "", "rules.jsonl")
    await writeFile(file, JSON.stringify(line))
    const command = processes.start("server", environment, ["rules", "import", file])
    expect([await command.ended, command.output()]).toMatchObject([{ code: 0 }, "1 rule imported.\n"])

    const ride = ridePast(place)
    await upload(client(url), deviceToken, ride)
    const received = await receiver.until("both webhooks", (all) => all.length >= 2)
    const events = received.map((one) => ({
      at: one.path.split("/").at(-1),
      ...decodeEvent(one.body.toString("utf8"))
    }))
    expect(events.sort((a, b) => ((a.at ?? "") < (b.at ?? "") ? -1 : 1))).toEqual([
      { at: "own", rule_id: "rule_of_2019" },
      { at: "subscribed", rule_id: rule, subscription_id: subscription.id }
    ])
    for (const one of received) {
      const [own, other] = one.path.endsWith("/own") ? [SECRET, subscription.secret] : [subscription.secret, SECRET]
      verifyWithStripe(one, own)
      expect(() => verifyWithStripe(one, other)).toThrow("No signatures found matching")
    }
  })
})
