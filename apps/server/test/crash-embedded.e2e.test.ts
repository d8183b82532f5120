import { Schema } from "effect"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { travel } from "../../../packages/domain/test/support/geodesic.js"
import { client } from "./support/client.js"
import { connect } from "./support/consent.js"
import { addDevice, createApp, createEndpoint, createPlace, createRule, RULES_SCOPE, signUp } from "./support/people.js"
import { reading, tryUpload, upload } from "./support/phone.js"
import { useProcesses } from "./support/processes.js"
import { type Received, type Receiver, startReceiver } from "./support/receiver.js"
import { type Service, startService } from "./support/service.js"

const PLACE = { label: "Home", lat: 52.37, lon: 4.9, radiusM: 150 }
const APPS = 2
const ENDPOINTS_PER_APP = 2
/** The number of `enter` rules of each app. Each app also has this number of `exit` rules. */
const RULES = 5
/**
 * The number of events of one crossing: each of the `APPS` apps has `RULES` rules that fire. Each event goes to every
 * endpoint of its app.
 */
const EVENTS_PER_CROSSING = APPS * RULES
const SECOND = 1_000

const Event = Schema.parseJson(
  Schema.Struct({
    event_id: Schema.String,
    endpoint_id: Schema.String,
    rule_id: Schema.String,
    occurred_at: Schema.String
  })
)
const decode = ({ body }: Received) => Schema.decodeUnknownSync(Event)(body.toString("utf8"))
const deliveryOf = (received: Received): string => {
  const { endpoint_id, event_id } = decode(received)
  return `${event_id} to ${endpoint_id}`
}

/**
 * The test kills the process while a receiver has its request and has not answered. The process cannot know the answer,
 * so it must send the request again after its restart. The restarted process can claim such a delivery only when the
 * lease from before the kill ends. A lease lasts 30 s, so each round of the test takes a little longer than 30 s.
 */
describe("kill -9 of the only process in the middle of sends, on the embedded database", () => {
  const kills = 3
  const processes = useProcesses()
  let service: Service
  let receiver: Receiver

  beforeAll(async () => {
    ;[service, receiver] = await Promise.all([startService(processes, { database: "embedded" }), startReceiver()])
  })
  afterAll(async () => {
    await receiver?.close()
    await service?.close()
  })

  it(`${kills} times: every event arrives, and what arrives twice is the same event [§6.3.6]`, async () => {
    const person = await signUp(service.url, "crash")
    const place = await createPlace(person, PLACE)
    const deviceToken = await addDevice(person)
    const api = client(service.url)
    for (let number = 0; number < APPS; number++) {
      const app = await createApp(person, "http://127.0.0.1:9/callback")
      for (let at = 0; at < ENDPOINTS_PER_APP; at++)
        await createEndpoint(person, app, `${receiver.url}/${number}/${at}`)
      const { access_token } = await connect(person, app, [RULES_SCOPE], { places: [place.id] })
      for (let rule = 0; rule < RULES; rule++) {
        await createRule(api, access_token, place, "enter")
        await createRule(api, access_token, place, "exit")
      }
    }

    // The phone begins outside, then crosses the edge of the place once in each round. Two arrivals are 122 s apart, so
    // that no rule is in its cooldown of two minutes. No fix is older than the rules, and the last fix is less than
    // five minutes ahead of the clock, so that no fix is ignored.
    const start = Date.now()
    const there = (round: number) => (round % 2 === 0 ? travel(place, 90, 1_000) : place)
    await upload(api, deviceToken, [reading(start, there(0))])

    const interrupted: Array<string> = []
    for (let round = 1; round <= kills; round++) {
      const victim = receiver.received.length + Math.floor(Math.random() * (EVENTS_PER_CROSSING - 2))
      const killed = new Promise<void>((resolve, reject) => {
        receiver.answer(async (one, index) => {
          await pause(Math.random() * 30)
          if (index === victim) {
            interrupted.push(deliveryOf(one))
            await service
              .server()
              .stop("SIGKILL")
              .then(() => resolve(), reject)
          }
          return 200
        })
      })
      const fixes = [reading(start + round * 61 * SECOND, there(round))]
      // The answer to the phone may be lost when the process is killed.
      const answered = await tryUpload(api, deviceToken, fixes)
      await killed
      receiver.answer(() => 200)
      await service.restartServer()
      if (answered === undefined) await upload(api, deviceToken, fixes)
    }

    const deliveries = kills * EVENTS_PER_CROSSING * ENDPOINTS_PER_APP
    const received = await receiver.until(
      `${deliveries} deliveries, ${kills} of them twice`,
      (all) => {
        const names = all.map(deliveryOf)
        return (
          new Set(names).size >= deliveries &&
          interrupted.every((name) => names.indexOf(name) < names.lastIndexOf(name))
        )
      },
      120 * SECOND
    )
    const all = received.map(decode)
    expect(new Set(received.map(deliveryOf)).size).toBe(deliveries)
    expect(interrupted).toHaveLength(kills)
    // All deliveries of one firing have the same event, so there are as many events as firings.
    const firings = new Set(all.map(({ occurred_at, rule_id }) => `${rule_id} at ${occurred_at}`))
    expect(firings.size).toBe(kills * EVENTS_PER_CROSSING)
    expect(new Set(all.map(({ event_id }) => event_id)).size).toBe(firings.size)
  }, 240_000)
})
