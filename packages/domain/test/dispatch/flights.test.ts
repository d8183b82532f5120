import type { Delivery } from "@place-access/domain/deliveries"
import { EndpointId, Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import * as Flights from "../../src/dispatch/flights.js"

const T0 = Timestamp.make(0)
const ID = EndpointId.make("ep_1")
const make = () => Flights.make({ slots: 8, enough: 1, perEndpoint: 4, onChange: () => undefined })

const delivered: Delivery.DeliveryFinish = { _tag: "Delivered", at: T0 }
const failed: Delivery.DeliveryFinish = { _tag: "Retry", attempt: 2, dueAt: T0 }
const postponed: Delivery.DeliveryFinish = { _tag: "Postponed", dueAt: T0, faultsSince: T0 }

describe("endpoints that take long may use half of the slots [deliveries-7]", () => {
  it.each([
    ["a success after a second", [[delivered, 1_000]], false],
    ["a later success", [[delivered, 1_001]], true],
    ["an attempt that a fault of the service ended late", [[postponed, 4_000]], true],
    ["one that ended at once", [[postponed, 0]], false],
    ["a failure", [[failed, 0]], true],
    [
      "a quick success after a late fault",
      [
        [postponed, 4_000],
        [delivered, 5]
      ],
      false
    ]
  ] as const)("%s", (_, attempts, isSlow) => {
    const flights = make()
    for (const [how, tookMillis] of attempts) flights.note(ID, { how, tookMillis })
    expect(flights.slow().ids).toEqual(isSlow ? [ID] : [])
  })

  it("a late fault does not end that an endpoint counts as failing", () => {
    const flights = make()
    flights.note(ID, { how: failed, tookMillis: 0 })
    flights.note(ID, { how: postponed, tookMillis: 4_000 })
    expect(flights.isFailing(ID)).toBe(true)
  })
})
