import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getApp, getAppWithRole } from "../apps/readApps.js"
import { type AppId, Cursor, type DeliveryId, NotFound, program } from "../shared/index.js"
import * as TeamRole from "../teams/Role.js"
import type { Attempt } from "./Attempt.js"
import * as AttemptExchange from "./AttemptExchange.js"
import { DeliveryStore, type DeliveryFilter } from "./DeliveryStore.js"

export interface LogQuery extends DeliveryFilter {
  readonly limit: number
  readonly cursor: string | undefined
}

/**
 * The delivery log of the app, newest first. Fails with `Invalid` for a cursor that was not made for this list, and
 * with `NotFound` when the account is not in the app's team.
 */
export const listDeliveries = program("listDeliveries", function* (account: Account, appId: AppId, query: LogQuery) {
  yield* getApp(account, appId, "read")
  const { limit, cursor, ...filter } = query
  const { endpointId, eventId, failReason, from, state, status, to, types } = filter
  // `JSON.stringify` writes undefined in an array as null. A `status` of null has a meaning of its own (no answer), so
  // a left-out `status` adds no element.
  const answered = status === undefined ? [] : [status]
  const list = `deliveries ${appId} ${JSON.stringify([endpointId, eventId, types, state, from, to, failReason, ...answered])}`
  const after = cursor === undefined ? undefined : yield* Cursor.open(cursor, list)
  const page = yield* (yield* DeliveryStore).list(appId, filter, limit, after)
  const nextCursor = page.next === undefined ? null : yield* Cursor.seal(page.next, list)
  return { deliveries: page.items, nextCursor }
})

/**
 * A delivery with all its attempts, oldest first. The signatures are hidden from a member who may not develop (decision
 * teams-1). Fails with `NotFound` when the account is not in the app's team, or the app has no delivery with this id.
 */
export const getDelivery = program("getDelivery", function* (account: Account, appId: AppId, id: DeliveryId) {
  const { role } = yield* getAppWithRole(account, appId, "read")
  const found = yield* (yield* DeliveryStore).find(appId, id)
  const delivery = yield* Effect.mapError(found, () => new NotFound({ what: "delivery" }))
  if (TeamRole.can(role, "develop")) return delivery
  return { ...delivery, attempts: delivery.attempts.map(signatureHidden) }
})

const signatureHidden = (attempt: Attempt): Attempt =>
  attempt.exchange === undefined
    ? attempt
    : { ...attempt, exchange: AttemptExchange.withoutSignature(attempt.exchange) }
