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

/** The data that a sender needs for one webhook. */
export interface Webhook {
  readonly eventId: string
  readonly connectionId: string
  readonly ruleId: string
  readonly placeId: string
  readonly endpointId: string
  readonly url: string
  readonly secret: string
}

/** The `n`th webhook of an order. */
export const webhook = ({ endpoints, people, port }: Order, n: number): Webhook => {
  const person = n % people
  const to = person % endpoints
  return {
    eventId: `evt_bare0n${n}`,
    connectionId: People.connection(person),
    ruleId: Webhooks.rule(person),
    placeId: People.place(person),
    endpointId: Endpoints.endpoint(to),
    url: Webhooks.url(port, to),
    secret: Endpoints.secret(to)
  }
}

/** Posts a webhook with the body and the signature that the product would send. Returns the status. */
export const post = async ({
  connectionId,
  endpointId,
  eventId,
  placeId,
  ruleId,
  secret,
  url
}: Webhook): Promise<number> => {
  const at = Date.now()
  const body = Event.body(
    {
      eventId: EventId.make(eventId),
      appId: AppId.make(People.APP),
      grantId: ConnectionId.make(connectionId),
      payload: {
        type: "place.enter",
        ruleId: RuleId.make(ruleId),
        target: { placeId: PlaceId.make(placeId), label: "Home" }
      },
      occurredAt: Timestamp.make(at)
    },
    EndpointId.make(endpointId)
  )
  const t = Math.floor(at / 1_000)
  const hex = createHmac("sha256", secret).update(`${t}.${body}`).digest("hex")
  const answer = await request(url, {
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

/** Measures the processor time of `work`, and reads the largest memory of this process so far. */
export const measured = async (work: () => Promise<void>): Promise<Done> => {
  const start = performance.now()
  const cpu = process.cpuUsage()
  await work()
  const { system, user } = process.cpuUsage(cpu)
  const seconds = (performance.now() - start) / 1_000
  return { seconds, cpuMicros: user + system, peakMB: process.resourceUsage().maxRSS / 2 ** 10 }
}
