import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import * as Cursor from "../shared/Cursor.js"
import type { AppId } from "../shared/Ids.js"
import { DeliveryStore, type Filter } from "./DeliveryStore.js"

export interface LogQuery extends Filter {
  readonly limit: number
  readonly cursor: string | undefined
}

/** The delivery log, newest first. `Invalid` for a cursor of another list; `NotFound` for somebody else's app. */
export const listDeliveries = Effect.fn("listDeliveries")(function* (account: Account, appId: AppId, query: LogQuery) {
  yield* getOwnedApp(account, appId)
  const { limit, cursor, ...filter } = query
  const list = `deliveries ${appId} ${JSON.stringify([filter.endpointId, filter.eventId, filter.types, filter.state, filter.from, filter.to])}`
  const after = cursor === undefined ? undefined : yield* Cursor.open(cursor, list)
  const page = yield* (yield* DeliveryStore).list(appId, filter, limit, after)
  const nextCursor = page.next === undefined ? null : yield* Cursor.seal(page.next, list)
  return { deliveries: page.items, nextCursor }
})
