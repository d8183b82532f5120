import { Event } from "@place-access/domain/events"
import { AppId, ConnectionId, EndpointId, EventId, PlaceId, RuleId, Timestamp } from "@place-access/domain/shared"
import { createHmac } from "node:crypto"
import { Agent, request } from "undici"
import * as Endpoints from "../harness/Endpoints.js"
import * as People from "../harness/People.js"
import * as Webhooks from "../harness/Webhooks.js"

export interface Order {
  readonly port: number
  readonly requests: number
  readonly endpoints: number
  readonly people: number
  readonly atOnce: number
}

export interface Done {
  readonly seconds: number
  readonly cpuMicros: number
  readonly peakMB: number
}

const agent = new Agent({ pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })

/** Posts the `n`th webhook of an order, with the body and signature that the product would send. Returns the status. */
export const post = async ({ endpoints, people, port }: Order, n: number): Promise<number> => {
  const [person, at] = [n % people, Date.now()]
  const to = person % endpoints
  const body = Event.body(
    {
      eventId: EventId.make(`evt_bare0n${n}`),
      appId: AppId.make(People.APP),
      grantId: ConnectionId.make(People.connection(person)),
      payload: {
        type: "place.enter",
        ruleId: RuleId.make(Webhooks.rule(person)),
        target: { placeId: PlaceId.make(People.place(person)), label: "Home" }
      },
      occurredAt: Timestamp.make(at)
    },
    EndpointId.make(Endpoints.endpoint(to))
  )
  const t = Math.floor(at / 1_000)
  const hex = createHmac("sha256", Endpoints.secret(to)).update(`${t}.${body}`).digest("hex")
  const answer = await request(Webhooks.url(port, to), {
    dispatcher: agent,
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "place-access-webhooks/1",
      "X-Service-Signature": `t=${t},v1=${hex}`,
      accept: "*/*",
      "accept-encoding": "identity"
    },
    body
  })
  await answer.body.dump()
  if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`)
  return answer.statusCode
}

/** Measures the processor time and memory that `work` takes in this process. */
export const measured = async (work: () => Promise<void>): Promise<Done> => {
  const start = performance.now()
  const cpu = process.cpuUsage()
  await work()
  const { system, user } = process.cpuUsage(cpu)
  const seconds = (performance.now() - start) / 1_000
  return { seconds, cpuMicros: user + system, peakMB: process.memoryUsage.rss() / 2 ** 20 }
}
