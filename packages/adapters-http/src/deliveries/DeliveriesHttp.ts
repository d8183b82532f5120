import { getDelivery, listDeliveries, recover, redeliver, retryNow } from "@place-access/domain/deliveries"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Span from "../wire/Span.js"
import { toWire } from "../wire/toWire.js"
import { countTest } from "./countTest.js"
import { toBody, toDetail, typeFilter } from "./DeliveriesApi.js"

export const layer = Group.group(Api, "deliveries", (handlers) =>
  handlers
    .handle(
      "list",
      ({ path, urlParams: { endpoint_id: endpointId, event_id: eventId, fail_reason: failReason, type, ...rest } }) =>
        Effect.gen(function* () {
          yield* Span.check(rest)
          const query = { ...rest, endpointId, eventId, failReason, ...typeFilter(type), cursor: rest.cursor }
          const { deliveries, nextCursor } = yield* listDeliveries(yield* SignedIn, path.app_id, query)
          return { deliveries: deliveries.map(toBody), nextCursor }
        }).pipe(toWire)
    )
    .handle("get", ({ path }) =>
      Effect.gen(function* () {
        return toDetail(yield* getDelivery(yield* SignedIn, path.app_id, path.delivery_id))
      }).pipe(toWire)
    )
    .handle(
      "redeliver",
      ({ path }) =>
        Effect.gen(function* () {
          const account = yield* SignedIn
          yield* countTest(account, path.app_id, path.delivery_id)
          const delivery = yield* redeliver(account, path.app_id, path.delivery_id)
          return toBody({ delivery, isReplayed: false, lastAttempt: null })
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "retryNow",
      ({ path }) =>
        Effect.gen(function* () {
          return toDetail(yield* retryNow(yield* SignedIn, path.app_id, path.delivery_id))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "recover",
      ({ path, payload: { since } }) =>
        Effect.gen(function* () {
          return { queued: yield* recover(yield* SignedIn, path.app_id, path.endpoint_id, since) }
        }).pipe(toWire),
      { uninterruptible: true }
    )
)
