import { Schema } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeServers } from "../../../packages/adapters-pg/test/support/postgres.js"
import { client } from "./support/client.js"
import { connect } from "./support/consent.js"
import { addDevice, createApp, createEndpoint, createPlace, createRule, RULES_SCOPE, signUp } from "./support/people.js"
import { ridePast, upload } from "./support/phone.js"
import { useProcesses } from "./support/processes.js"
import { type Receiver, startReceiver } from "./support/receiver.js"
import { type Service, startService } from "./support/service.js"
import { until } from "./support/until.js"

const DeliveryLog = Schema.Struct({
  deliveries: Schema.Array(
    Schema.Struct({ type: Schema.String, state: Schema.String, attempt: Schema.Int, status: Schema.NullOr(Schema.Int) })
  )
})

describeServers("a worker that gets a signal to stop", ({ kind }) => {
  const processes = useProcesses()
  let service: Service
  let receiver: Receiver
  beforeAll(async () => {
    ;[service, receiver] = await Promise.all([startService(processes, { database: kind, workers: 1 }), startReceiver()])
  })
  afterAll(async () => {
    await receiver?.close()
    await service?.close()
  })

  it("waits for the answers to what it sent, and writes them down", async () => {
    const person = await signUp(service.url, "graceful")
    const app = await createApp(person, "http://127.0.0.1:9/callback")
    await createEndpoint(person, app, receiver.url)
    const place = await createPlace(person, { label: "Home", lat: 52.37, lon: 4.9, radiusM: 150 })
    const { access_token } = await connect(person, app, [RULES_SCOPE], { places: [place.id] })
    for (const type of ["enter", "exit"]) await createRule(person.as, access_token, place, type)

    let answer: (status: number) => void = () => undefined
    const held = new Promise<number>((resolve) => (answer = resolve))
    receiver.answer(() => held)
    await upload(client(service.url), await addDevice(person), ridePast(place))
    await receiver.until("both requests in hand", (all) => all.length === 2)

    const [worker] = service.workers()
    const stopped = worker?.stop("SIGTERM")
    await until("the worker to hear it", () => worker?.output().includes("stopping") === true || undefined)
    answer(204)
    expect(await stopped).toEqual({ code: 0, signal: null })

    const log = await person.as.expect("GET", `/v1/developer/apps/${app.id}/deliveries`, { as: DeliveryLog })
    expect(log.deliveries.map(({ type }) => type).sort()).toEqual(["place.enter", "place.exit"])
    for (const delivery of log.deliveries)
      expect(delivery).toMatchObject({ state: "delivered", attempt: 1, status: 204 })
  })
})
