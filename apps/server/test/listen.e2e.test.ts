import { verify } from "@place-access/adapters-webhook/verify"
import { Listener } from "@place-access/domain/listeners"
import { Schema } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { describeServers } from "../../../packages/adapters-pg/test/support/postgres.js"
import { client } from "./support/client.js"
import { connect } from "./support/consent.js"
import {
  addDevice,
  type App,
  createApp,
  createEndpoint,
  createPlace,
  createRule,
  type Person,
  RULES_SCOPE,
  signUp
} from "./support/people.js"
import { ridePast, upload } from "./support/phone.js"
import { type Running, useProcesses } from "./support/processes.js"
import { type Received, type Receiver, signatureOf, startReceiver } from "./support/receiver.js"
import { type Service, type Setup, startService } from "./support/service.js"
import { until } from "./support/until.js"

const PLACE = { label: "Corner café", lat: 52.3702, lon: 4.8952, radiusM: 150 }

const Connections = Schema.Struct({ connections: Schema.Array(Schema.Struct({ id: Schema.String })) })
const AccessLog = Schema.Struct({
  entries: Schema.Array(Schema.Struct({ endpoint: Schema.String, disclosed: Schema.NullOr(Schema.String) }))
})

const typeOf = ({ body }: Received): string => (JSON.parse(body.toString("utf8")) as { readonly type: string }).type

const verified = async (received: Received, secret: string): Promise<boolean> =>
  (await verify({ payload: received.body, header: signatureOf(received), secrets: secret, now: received.receivedAt }))
    .ok

/**
 * Makes a developer on the given service who is also the user, so that the app gets events about everything the user
 * does.
 */
const settle = async (service: Service) => {
  const person = await signUp(service.url, "robin")
  const app = await createApp(person, "https://app.example/callback", [RULES_SCOPE, "location.places.watch"])
  const place = await createPlace(person, PLACE)
  const device = await addDevice(person)
  const tokens = await connect(person, app, [RULES_SCOPE, "location.places.watch"], { places: [place.id] })
  const phone = client(service.url)
  for (const type of ["enter", "exit"]) await createRule(phone, tokens.access_token, place, type)
  const { connections } = await person.as.expect("GET", "/v1/user/connections", { as: Connections })
  const path = `/v1/user/connections/${connections[0]?.id}/places`
  return {
    person,
    app,
    ride: () => upload(phone, device, ridePast(place)),
    withdraw: () => person.as.call("PUT", path, { json: { places: [] } })
  }
}

type Stage = Awaited<ReturnType<typeof settle>>

/** A service with a developer, and a program that listens to the developer's app. */
const program = (setup: Setup) => {
  const processes = useProcesses()
  let service: Service
  let receiver: Receiver
  let stage: Stage
  beforeAll(async () => {
    ;[service, receiver] = await Promise.all([startService(processes, setup), startReceiver()])
    stage = await settle(service)
  })
  afterAll(() => Promise.all([service.close(), receiver.close()]))

  /** Runs the program of `npm run listen` directly, without npm. */
  const listen = async ({ email, password }: Person, args: ReadonlyArray<string>): Promise<Running> => {
    const environment = { PLACE_ACCESS_EMAIL: email, PLACE_ACCESS_PASSWORD: password }
    const running = processes.start("listen", environment, ["--service", service.url, ...args])
    await until("it listens", () => (running.output().includes("Listening to ") ? true : undefined))
    return running
  }
  return { listen, service: () => service, receiver: () => receiver, stage: () => stage }
}

const journey = (setup: Setup) => {
  const programs = program(setup)
  const { listen, receiver, service, stage } = programs

  it("posts what a phone's upload fires to a program on this machine, which verifies it; one line each, and one entry of the user's log", async () => {
    const { app, person, ride } = stage()
    const running = await listen(person, ["--forward", receiver().url])
    expect(running.output()).toContain(`Listening to Umbrella (${app.id}).`)
    const [secret = ""] = /whsec_\S+/.exec(running.output()) ?? []
    await ride()
    const received = await receiver().until("both", (all) => all.length >= 2)
    // The two webhooks arrive in either order, because both are in flight at the same time.
    expect(received.map(typeOf).sort()).toEqual(["place.enter", "place.exit"])
    for (const one of received) {
      expect(await verified(one, secret)).toBe(true)
      expect(one.headers).toMatchObject({ "content-type": "application/json", "user-agent": "place-access-webhooks/1" })
    }
    await until("its lines", () => (running.output().match(/ -> /g)?.length === 2 ? true : undefined))
    expect(running.output()).toMatch(/^\d\d:\d\d:\d\d place\.enter evt_\w+ -> 200 \(\d+ ms\)$/m)
    const { entries } = await person.as.expect("GET", "/v1/user/access-log", { as: AccessLog })
    const disclosures = entries
      .filter(({ endpoint }) => endpoint.startsWith("webhook"))
      .map(({ disclosed }) => disclosed)
    expect(disclosures.sort()).toEqual(["arrived at Corner café", "left Corner café"])
    expect(running.output()).not.toContain(person.password)
    expect(await running.stop("SIGINT")).toEqual({ code: 0, signal: null })
    expect(running.output()).toMatch(/Stopped\.\s*$/)
  })

  it("comes back by itself when the server does, with the same secret; the server does not wait for it to stop", async () => {
    const { person, withdraw } = stage()
    const running = await listen(person, ["--forward", receiver().url, "--events", "places.changed", "--print"])
    const [secret = ""] = /whsec_\S+/.exec(running.output()) ?? []
    expect(await service().server().stop("SIGTERM")).toEqual({ code: 0, signal: null })
    await until("the loss", () => (running.output().includes("the service is being restarted") ? true : undefined))
    await service().restartServer()
    await until("the return", () => (running.output().includes("Listening again.") ? true : undefined))
    const before = receiver().received.length
    await withdraw()
    const received = await receiver().until("the change", (all) => all.length > before)
    const changed = received[before]
    expect(changed === undefined ? "" : typeOf(changed)).toBe("places.changed")
    expect(changed !== undefined && (await verified(changed, secret))).toBe(true)
    await until("its body", () => (running.output().includes('"places_version": ') ? true : undefined))
    await running.stop("SIGINT")
  })
  return programs
}

describe("npm run listen", () => {
  describe("beside the server that does everything", () => void journey({ database: "embedded" }))

  describeServers("beside a server and a worker of their own", ({ kind }) => {
    const { listen, receiver, service } = journey({ database: kind })

    it("with an endpoint: recognises the endpoint by its secret, which is not shown; the session ends with it", async () => {
      const [{ app, person, ride }, other] = [await settle(service()), await startReceiver()]
      try {
        const endpoint = await createEndpoint(person, app, other.url)
        const before = receiver().received.length
        const running = await listen(person, ["--app", app.id, "--endpoint", endpoint.id, "--forward", receiver().url])
        await ride()
        const [all, there] = await Promise.all([
          receiver().until("both, here", (all) => all.length >= before + 2),
          other.until("both, at the endpoint", (all) => all.length >= 2)
        ])
        const here = all.slice(before)
        const bodies = (all: ReadonlyArray<Received>) => all.map(({ body }) => body.toString("utf8")).sort()
        expect(bodies(here)).toEqual(bodies(there))
        for (const one of here) expect(await verified(one, endpoint.secret)).toBe(true)
        expect(running.output()).not.toContain("whsec_")

        expect(await sessions(service(), person)).toBe(2)
        await running.stop("SIGTERM")
        expect(await sessions(service(), person)).toBe(1)
        // The server notices the closed stream by itself, before a sweep could delete the listener.
        const isGone = async () => {
          const { listeners, waiting } = await rows(service(), app)
          return listeners + waiting === 0 ? true : undefined
        }
        await until("the server to notice", isGone, Listener.LIFETIME)
      } finally {
        await other.close()
      }
    })
  })
})

const query = async <A>({ databaseUrl }: Service, text: string, value: string): Promise<ReadonlyArray<A>> => {
  const database = new pg.Client({ connectionString: databaseUrl ?? "" })
  await database.connect()
  try {
    return (await database.query(text, [value])).rows as ReadonlyArray<A>
  } finally {
    await database.end()
  }
}

const sessions = async (service: Service, { id }: Person): Promise<number> =>
  (await query(service, "SELECT 1 FROM sessions WHERE user_id = $1", id)).length

const rows = async (service: Service, { id }: App) => {
  const count = async (table: string) => (await query(service, `SELECT 1 FROM ${table} WHERE app_id = $1`, id)).length
  return { listeners: await count("listeners"), waiting: await count("listener_events") }
}
