import { Effect } from "effect"
import * as Entropy from "../shared/Entropy.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Timestamp from "../shared/Timestamp.js"
import { LEASE } from "./Delivery.js"
import { DeliveryStore } from "./DeliveryStore.js"

/** Takes up to `limit` due deliveries under one fresh lease, at most `perEndpoint` of an endpoint under way at once. */
export const claimDue = Effect.fnUntraced(function* (limit: number, perEndpoint: number) {
  const store = yield* DeliveryStore
  const lease = yield* Entropy.id("lse")
  const now = yield* Timestamp.now
  const leaseUntil = Timestamp.plus(now, LEASE)
  const { claims, isUnfinished } = yield* store.claim({ limit, perEndpoint, lease, now, leaseUntil })
  return { claims, isUnfinished, now, leaseUntil }
}, Telemetry.span("claimDue"))
