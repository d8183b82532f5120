import { Schema } from "effect"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeServers } from "../../../packages/adapters-pg/test/support/postgres.js"
import { random } from "../../../packages/domain/test/support/random.js"
import { connect } from "./support/consent.js"
import { type App, createApp, createEndpoint, createPlace, type Person, signUp } from "./support/people.js"
import { type Running, useProcesses, workerReady } from "./support/processes.js"
import { type Received, type Receiver, startReceiver } from "./support/receiver.js"
import { type Service, startService } from "./support/service.js"
import { until } from "./support/until.js"

/**
 * How many workers the test kills. After each kill a new worker must start. `CRASH_KILLS=100 npx vitest …` makes a long
 * run.
 */
const KILLS = Number(process.env["CRASH_KILLS"] ?? 30)
const ENDPOINTS = ["/one", "/two"]
/** The number of workers that are starting at any time, beside the ready workers that may be killed. */
const LOADING = 3
/**
 * The seed of the test's random numbers: when it kills a worker, and which one; how long the receiver and the traffic
 * pause. `CRASH_SEED=7 npx vitest …` uses the numbers of a run that printed the seed 7, but perhaps in another order,
 * because the order depends on how fast the processes are.
 */
const SEED = Number(process.env["CRASH_SEED"] ?? Date.now() % 1_000_000)
const SECOND = 1_000

const Event = Schema.parseJson(
  Schema.Struct({ event_id: Schema.String, endpoint_id: Schema.String, places_version: Schema.Int })
)
const decode = ({ body }: Received) => Schema.decodeUnknownSync(Event)(body.toString("utf8"))

const Connections = Schema.Struct({ connections: Schema.Array(Schema.Struct({ id: Schema.String })) })
const Log = Schema.Struct({
  deliveries: Schema.Array(Schema.Struct({ id: Schema.String, event_id: Schema.String, endpoint_id: Schema.String }))
})
const Row = Schema.Struct({
  state: Schema.String,
  attempt: Schema.Int,
  attempts: Schema.Array(Schema.Struct({ attempt: Schema.Int, status: Schema.NullOr(Schema.Int) }))
})

/**
 * Makes events: a user shares a place and withdraws it. Each change is an event whose number is the version of the set
 * of shared places. One change may follow another immediately, whereas a rule that has fired pauses before it fires
 * again.
 */
const changesOf = (user: Person, connectionId: string, placeId: string) => {
  let made = 0
  return {
    made: () => made,
    change: async (): Promise<void> => {
      const places = made % 2 === 0 ? [{ id: placeId, include_earlier_visits: false }] : []
      const path = `/v1/user/connections/${connectionId}/places`
      await user.as.expect("PUT", path, { as: Schema.Unknown, json: { places } })
      made++
    }
  }
}

/** The number of requests for each version of the shared places and each endpoint. */
const tally = (received: ReadonlyArray<Received>): ReadonlyMap<string, number> => {
  const times = new Map<string, number>()
  for (const { endpoint_id, places_version } of received.map(decode)) {
    const name = `${places_version} to ${endpoint_id}`
    times.set(name, (times.get(name) ?? 0) + 1)
  }
  return times
}

describeServers("of several workers", ({ kind }) => {
  const kills = kind === "citus" ? Math.min(KILLS, 5) : KILLS
  // The most requests that the receiver may get a second time for each kill, on average. A delivery is sent again when
  // the killed worker had sent it and had not stored the result. On one server a worker stores results so soon that a
  // kill repeats fewer than one request on average. On a cluster, storing a result takes several statements.
  const repeatsAKill = kind === "citus" ? 8 : 1
  const processes = useProcesses()
  const dice = random(SEED)
  let service: Service
  let receiver: Receiver
  let person: Person
  let app: App
  let changes: ReturnType<typeof changesOf>
  /**
   * The workers that the test stopped (SIGSTOP) while they had a request in flight. A stopped process does nothing
   * until SIGCONT.
   */
  let paused: ReadonlyArray<Running> = []
  /** The request that the receiver had when the test stopped the workers. */
  let inHand: Received
  const alive: Array<Running> = []

  beforeAll(async () => {
    ;[service, receiver] = await Promise.all([startService(processes, { database: kind, workers: 2 }), startReceiver()])
    person = await signUp(service.url, "crash")
    const place = await createPlace(person, { label: "Home", lat: 52.37, lon: 4.9, radiusM: 150 })
    const scope = "location.places.watch"
    app = await createApp(person, "http://127.0.0.1:9/callback", [scope])
    for (const path of ENDPOINTS) await createEndpoint(person, app, `${receiver.url}${path}`, ["places.changed"])
    await connect(person, app, [scope], { places: [] })
    const { connections } = await person.as.expect("GET", "/v1/user/connections", { as: Connections })
    changes = changesOf(person, connections[0]?.id ?? "", place.id)
    await stopBothInFlight()
  })
  afterAll(async () => {
    for (const worker of paused) process.kill(worker.pid, "SIGCONT")
    await receiver?.close()
    await service?.close()
  })

  /**
   * Stops both workers (SIGSTOP) while the receiver has their request. The two stopped workers cannot finish their
   * requests, so two further workers start. The last test wakes the stopped workers, when their leases have ended long
   * ago.
   */
  const stopBothInFlight = async (): Promise<void> => {
    const answered = new Promise<Received>((resolve) => {
      receiver.answer(async (one, index) => {
        if (index > 0) return 200
        for (const worker of service.workers()) process.kill(worker.pid, "SIGSTOP")
        resolve(one)
        return 200
      })
    })
    await changes.change()
    inHand = await answered
    paused = [...service.workers()]
    await Promise.all([start(), start()])
  }

  /** Resolves when the worker is ready. */
  const start = async (): Promise<void> => {
    const worker = service.startWorker()
    await workerReady(worker)
    alive.push(worker)
  }

  it("kill -9 of one of two or more, again and again: no event is lost, what comes twice is the same event, few come twice [§6.3.6, deliveries-5]", async () => {
    receiver.answer(async () => {
      await pause(dice.below(30))
      return 200
    })
    const over = new AbortController()
    const traffic = (async () => {
      while (!over.signal.aborted) {
        await changes.change()
        await pause(10 + dice.below(40))
      }
    })()
    const starts = Array.from({ length: LOADING }, start)
    for (let kill = 0; kill < kills; kill++) {
      await until("two that are ready", () => (alive.length >= 2 ? true : undefined), 300 * SECOND)
      await pause(dice.below(500))
      const [victim] = alive.splice(dice.below(alive.length), 1)
      starts.push(start())
      await victim?.stop("SIGKILL")
    }
    over.abort()
    await Promise.all([traffic, ...starts])

    const expected = changes.made() * ENDPOINTS.length
    const received = await receiver.until(
      `all ${expected} deliveries (seed ${SEED})`,
      (all) => tally(all).size >= expected,
      120 * SECOND
    )
    const versions = new Map<number, Set<string>>()
    for (const { event_id, places_version } of received.map(decode)) {
      versions.set(places_version, (versions.get(places_version) ?? new Set()).add(event_id))
    }
    expect(tally(received).size, `seed ${SEED}`).toBe(expected)
    expect(versions.size, `seed ${SEED}`).toBe(changes.made())
    expect([...versions.values()].filter((ids) => ids.size !== 1)).toEqual([])
    // The first change was in flight when the test stopped two workers (SIGSTOP). Another worker sends the first change
    // a second time when their leases have ended. This repeat does not come from a kill, so it is not counted.
    const sinceThen = received.map(decode).filter(({ places_version }) => places_version > Math.min(...versions.keys()))
    const duplicates = sinceThen.length - (changes.made() - 1) * ENDPOINTS.length
    process.stdout.write(`${kills} kills, seed ${SEED}: ${expected} deliveries, ${duplicates} of them twice\n`)
    expect(duplicates, `seed ${SEED}`).toBeLessThanOrEqual(kills * repeatsAKill)
  }, 1_200_000)

  it("after its lease, another worker makes the same attempt with the same event_id; who wakes then writes nothing, and goes on working [W2-lease, deliveries-3]", async () => {
    const first = decode(inHand)
    const again = (all: ReadonlyArray<Received>) =>
      all.map(decode).filter((one) => one.event_id === first.event_id && one.endpoint_id === first.endpoint_id)
    await receiver.until("the same attempt by another", (all) => again(all).length >= 2, 120 * SECOND)
    await Promise.all(alive.map((worker) => worker.stop("SIGTERM")))
    // The receiver has the event twice: from the stopped worker, and from a worker that claimed it later. If the later
    // worker was killed after the receiver's answer and before it stored the result, the receiver has the event three
    // times.
    const before = again(receiver.received).length
    for (const worker of paused) process.kill(worker.pid, "SIGCONT")
    await changes.change()
    const version = Math.max(...receiver.received.map((one) => decode(one).places_version)) + 1
    await receiver.until("an event by those who woke", (all) =>
      all.some((one) => decode(one).places_version >= version)
    )

    const path = `/v1/developer/apps/${app.id}/deliveries`
    const { deliveries } = await person.as.expect("GET", `${path}?event_id=${first.event_id}`, { as: Log })
    const row = deliveries.find(({ endpoint_id }) => endpoint_id === first.endpoint_id)
    const stored = await until("the row", () => person.as.expect("GET", `${path}/${row?.id ?? ""}`, { as: Row }))
    expect(stored).toEqual({ state: "delivered", attempt: 1, attempts: [{ attempt: 1, status: 200 }] })
    expect(again(receiver.received).length).toBe(before)
  })
})
