import { EndpointUrl, type WebhookEndpoint } from "@place-access/domain/endpoints"
import type { Event } from "@place-access/domain/events"
import { Listener } from "@place-access/domain/listeners"
import { AppId, EndpointId, PlaceId, RuleId, Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "vitest"

const endpoint = (
  id: string,
  change: Partial<WebhookEndpoint.WebhookEndpoint> = {}
): WebhookEndpoint.WebhookEndpoint => ({
  appId: AppId.make("app_1"),
  id: EndpointId.make(id),
  url: EndpointUrl.EndpointUrl.make(`https://hooks.example.com/${id}`),
  events: [],
  description: null,
  disabledAt: null,
  epoch: 0,
  strikes: 0,
  headers: [],
  secrets: [],
  createdAt: Timestamp.make(0),
  ...change
})

const fired: Event.Payload = {
  type: "place.enter",
  ruleId: RuleId.make("rul_1"),
  target: { placeId: PlaceId.make("plc_1"), label: "Home" }
}
const changed: Event.Payload = { type: "places.changed", placesVersion: 2 }

const wants = (
  listener: Pick<Listener.Listener, "endpointId" | "events">,
  endpoints: ReadonlyArray<WebhookEndpoint.WebhookEndpoint>,
  payload: Event.Payload,
  { hasOwnAddress = false, webhookUrl = null }: { webhookUrl?: string | null; hasOwnAddress?: boolean } = {}
): boolean => Listener.wants(listener, endpoints, { event: { payload, webhookUrl }, hasOwnAddress })

describe("what a listener gets", () => {
  const own = { endpointId: null, events: [] }
  const first = EndpointId.make("ep_1")
  const ofFirst = { endpointId: first, events: [] }
  const both = [endpoint("ep_1"), endpoint("ep_2", { events: ["places.changed"] })]

  it("of its own: every event of its list, wherever else it goes [listeners-1]", () => {
    expect(wants(own, [], fired)).toBe(true)
    expect(wants(own, both, fired, { webhookUrl: "https://hooks.example.com/ep_1" })).toBe(true)
    expect(wants(own, both, fired, { webhookUrl: "https://old.example.com/", hasOwnAddress: true })).toBe(true)
    expect(wants({ ...own, events: ["places.changed"] }, both, fired)).toBe(false)
    expect(wants({ ...own, events: ["places.changed"] }, both, changed)).toBe(true)
    expect(wants(own, both, { type: "ping" })).toBe(false)
  })

  it("with an endpoint: what is sent there, by the endpoint's list and the rule's address [listeners-1]", () => {
    expect(wants(ofFirst, both, fired)).toBe(true)
    expect(wants({ ...ofFirst, endpointId: EndpointId.make("ep_2") }, both, fired)).toBe(false)
    expect(wants(ofFirst, both, fired, { webhookUrl: "https://hooks.example.com/ep_1" })).toBe(true)
    expect(wants(ofFirst, both, fired, { webhookUrl: "https://hooks.example.com/ep_2" })).toBe(false)
    expect(wants(ofFirst, both, fired, { webhookUrl: "https://hooks.example.com/ep_1", hasOwnAddress: true })).toBe(
      false
    )
  })

  it("with an endpoint that is disabled: all the same, for then one wants to look; with one that is gone: nothing [listeners-1]", () => {
    expect(wants(ofFirst, [endpoint("ep_1", { disabledAt: Timestamp.make(1) })], fired)).toBe(true)
    expect(wants(ofFirst, [endpoint("ep_2")], fired)).toBe(false)
  })
})
