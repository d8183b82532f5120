import { Effect } from "effect"
import { AccessLogStore } from "../../../src/access-log/AccessLogStore.js"
import type { Device } from "../../../src/devices/Device.js"
import { HistoryStore, type DeletionTimes } from "../../../src/retention-choice/HistoryStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { AccessLogEntryId, AppId, ConnectionId, type UserId } from "../../../src/shared/Ids.js"
import type * as Timestamp from "../../../src/shared/Timestamp.js"

/**
 * Deletes the history of one person up to the person's cutoff, and the access log up to `moments.accessLogUntil`.
 * Returns the number of deleted rows.
 */
export const sweep = ({ userId }: Pick<Device, "userId">, moments: DeletionTimes, limit = 100) =>
  Effect.gen(function* () {
    const store = yield* HistoryStore
    let removed = 0
    for (let last = -1; last !== 0; removed += last) last = yield* store.removePast(userId, moments, limit)
    return removed
  })

export const entryAt = (userId: UserId, at: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    yield* (yield* AccessLogStore).record({
      userId,
      id: AccessLogEntryId.make(yield* Entropy.id("log")),
      at,
      appId: AppId.make("app_of_nobody"),
      connectionId: ConnectionId.make("con_of_nobody"),
      endpoint: "GET /v1/me",
      purpose: null,
      status: 200,
      error: null,
      disclosed: null,
      times: 1
    })
  })

export const entries = (userId: UserId) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* AccessLogStore).list(userId, {}, 1_000, undefined)
    return items.map(({ at }) => at).toReversed()
  })
