import { verify } from "@place-access/adapters-webhook/verify"
import { Schema } from "effect"
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { describeServers, type TestDatabase } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { client } from "../support/client.js"
import { connect } from "../support/consent.js"
import { freePort } from "../support/freePort.js"
import { createApp, createEndpoint, createPlace, RULES_SCOPE, signUp } from "../support/people.js"
import { ready, type Running, useProcesses, workerReady } from "../support/processes.js"
import { type Receiver, signatureOf, startReceiver } from "../support/receiver.js"
import { command } from "./support.js"

const key = (id: string) => `${id}:${randomBytes(32).toString("base64")}`

const Status = Schema.Struct({
  keys: Schema.Array(Schema.Struct({ id: Schema.String, state: Schema.String, may_go: Schema.Boolean }))
})

describeServers("a key is replaced in the four steps of docs/backup.md [settings-3]", ({ migratedDatabase }) => {
  const processes = useProcesses()
  let receiver: Receiver
  let database: TestDatabase
  beforeAll(async () => {
    ;[receiver, database] = await Promise.all([startReceiver(), migratedDatabase()])
  })
  afterAll(async () => {
    await receiver?.close()
    await database?.drop()
  })

  it("tokens, sessions and signatures go on through all steps, and keys status says when the old key may go", async () => {
    const port = await freePort()
    const url = `http://localhost:${port}`
    const running: { server?: Running; worker?: Running } = {}
    const settings = (keys: string) => ({
      DATABASE_URL: database.url,
      SECRET_KEYS: keys,
      ALLOW_INSECURE_WEBHOOKS: "true",
      PORT: String(port)
    })
    /** Restarts the server, and then the worker, with these keys. */
    const restart = async (keys: string) => {
      await running.server?.stop("SIGTERM")
      running.server = processes.start("server", settings(keys))
      await ready(running.server, url)
      await running.worker?.stop("SIGTERM")
      running.worker = processes.start("worker", settings(keys))
      await workerReady(running.worker)
    }
    /** For each key, by its id, its state and whether it may be removed. */
    const status = async (keys: string) => {
      const { code, stderr, stdout } = await command(["keys", "status", "--json"], settings(keys))
      expect([code, stderr]).toEqual([0, ""])
      const report = Schema.decodeUnknownSync(Schema.parseJson(Status))(stdout)
      return Object.fromEntries(report.keys.map(({ id, may_go, state }) => [id, [state, may_go]]))
    }
    const reencrypt = (keys: string) => command(["keys", "reencrypt"], settings(keys))
    const [k1, k2] = [key("k1"), key("k2")]

    await restart(k1)
    const person = await signUp(url, "keys")
    const place = await createPlace(person, { label: "Home", lat: 52.37, lon: 4.9, radiusM: 150 })
    const app = await createApp(person, "https://app.example/callback")
    const endpoint = await createEndpoint(person, app, receiver.url)
    const { access_token: token } = await connect(person, app, [RULES_SCOPE], { places: [place.id] })
    const at = `/v1/developer/apps/${app.id}/webhooks/${endpoint.id}`

    /** Checks that the token and the session still work, and that a test event is signed with this secret. */
    const goesOn = async (secret: string) => {
      const before = receiver.received.length
      const me = await client(url).call("GET", "/v1/me", { token })
      const sent = await person.as.call("POST", `${at}/test`)
      const received = (await receiver.until("an event", (all) => all.length > before))[before]
      if (received === undefined) throw new Error("no event")
      const verified = await verify({ payload: received.body, header: signatureOf(received), secrets: secret })
      return [me.status, sent.status, verified.ok]
    }
    const went = [200, 200, true]
    expect(await goesOn(endpoint.secret)).toEqual(went)

    // Step 1 of the rotation: every process gets k2 and can read what k2 seals. New values are still sealed with k1.
    await restart(`${k1},${k2}`)
    expect(await goesOn(endpoint.secret)).toEqual(went)
    // A command with the new key in front is no sign that the programs have this key.
    expect((await command(["account", "list"], settings(`${k2},${k1}`))).code).toBe(0)
    const early = await reencrypt(`${k2},${k1}`)
    expect([early.code, early.stdout, early.stderr]).toEqual([
      78,
      "",
      expect.stringContaining('The newest key here is "k2", and the server or worker that started last had "k1"')
    ])
    const wrong = await reencrypt(key("k1"))
    expect([wrong.code, wrong.stdout, wrong.stderr]).toEqual([
      78,
      "",
      expect.stringContaining("are not those of this database")
    ])
    // Step 2 of the rotation: from now on, new values are sealed with k2.
    await restart(`${k2},${k1}`)
    expect(await goesOn(endpoint.secret)).toEqual(went)
    // Step 3 of the rotation: the endpoint's secret needs k1, until it is encrypted again.
    expect(await status(`${k2},${k1}`)).toEqual({ k1: ["older", false], k2: ["current", false] })
    const again = await reencrypt(`${k2},${k1}`)
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringMatching(/^Encrypted 1 row again with the key "k2":\n {2}endpoints\.secrets: 1\nk2: the current key/)
    ])
    expect(await goesOn(endpoint.secret)).toEqual(went)
    // For a minute after the person's approval, a repeated request needs k1 to get the same code again.
    await vi.waitFor(
      async () => expect(await status(`${k2},${k1}`)).toEqual({ k1: ["older", true], k2: ["current", false] }),
      { timeout: 90_000, interval: 1_000 }
    )
    // Step 4 of the rotation: the operator removes k1.
    await restart(k2)
    expect(await goesOn(endpoint.secret)).toEqual(went)
  })
})
