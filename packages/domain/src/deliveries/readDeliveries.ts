import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getApp } from "../apps/readApps.js"
import { type AppId, Cursor, type DeliveryId, NotFound, program } from "../shared/index.js"
import { DeliveryStore, type DeliveryFilter } from "./DeliveryStore.js"

export interface LogQuery extends DeliveryFilter {
  readonly limit: number
  readonly cursor: string | undefined
}

/** The delivery log, newest first. `Invalid` for a cursor of another list; `NotFound` for another account's app. */
export const listDeliveries = program("listDeliveries", function* (account: Account, appId: AppId, query: LogQuery) {
  yield* getApp(account, appId, "read")
  const { limit, cursor, ...filter } = query
  const list = `deliveries ${appId} ${JSON.stringify([filter.endpointId, filter.eventId, filter.types, filter.state, filter.from, filter.to])}`
  const after = cursor === undefined ? undefined : yield* Cursor.open(cursor, list)
  const page = yield* (yield* DeliveryStore).list(appId, filter, limit, after)
  const nextCursor = page.next === undefined ? null : yield* Cursor.seal(page.next, list)
  return { deliveries: page.items, nextCursor }
})

/** A row of the log with all attempts, oldest first. `NotFound` for another account's. */
export const getDelivery = program("getDelivery", function* (account: Account, appId: AppId, id: DeliveryId) {
  yield* getApp(account, appId, "read")
  const found = yield* (yield* DeliveryStore).find(appId, id)
  return yield* Effect.mapError(found, () => new NotFound({ what: "delivery" }))
})
