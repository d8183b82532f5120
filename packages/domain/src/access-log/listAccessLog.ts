import { Effect, Option } from "effect"
import type { AppStore } from "../apps/AppStore.js"
import { nameApps } from "../apps/readApps.js"
import { describePurposes, type LoggedPurpose } from "../purposes/describePurposes.js"
import { PurposeStore } from "../purposes/PurposeStore.js"
import { Cursor, type Invalid, Page, program, type Program, type StoreError } from "../shared/index.js"
import type { PurposeId, UserId } from "../shared/Ids.js"
import type { Vault, VaultError } from "../shared/Vault.js"
import type { AccessLogEntry } from "./AccessLogEntry.js"
import { AccessLogStore, type AccessLogFilter } from "./AccessLogStore.js"

/** An entry with the names by which the user knows the app and the purpose. */
export interface ReadableEntry extends Omit<AccessLogEntry, "purpose"> {
  readonly appName: string
  readonly purpose: LoggedPurpose | null
}

/** The filter that a user chooses. It names a purpose by the id, because users never see the key. */
export interface AccessLogQuery extends Omit<AccessLogFilter, "purpose"> {
  readonly purposeId?: PurposeId | undefined
}

export interface AccessLogPage {
  readonly entries: ReadonlyArray<ReadableEntry>
  /** Null on the last page. A cursor is valid only for the same user and filter. */
  readonly nextCursor: string | null
}

/**
 * A page of the user's access log: what apps asked and learned, newest first (Spec §1.7). Each entry has the app's
 * present name (for a deleted app: its id), and the wording of the purpose that was in force at the time of the entry.
 * Fails with `Invalid` when `limit` is not a whole number from 1 to 500, or the cursor comes from another list.
 */
export const listAccessLog = program(
  "listAccessLog",
  function* (
    userId: UserId,
    request: AccessLogQuery,
    limit: number,
    cursor: string | undefined
  ): Program<AccessLogPage, Invalid | StoreError | VaultError, AccessLogStore | AppStore | PurposeStore | Vault> {
    yield* Page.checkLimit(limit)
    const query = JSON.stringify([
      "access-log",
      userId,
      request.appId ?? null,
      request.purposeId ?? null,
      request.from ?? null,
      request.to ?? null
    ])
    const log = yield* AccessLogStore
    const { items, nextCursor } = yield* Cursor.page(query, { cursor, limit }, (most, after) =>
      Effect.flatMap(toFilter(request), (filter) =>
        filter === undefined ? Effect.succeed({ items: [], next: undefined }) : log.list(userId, filter, most, after)
      )
    )
    const names = yield* nameApps(items.map((entry) => entry.appId))
    const describe = yield* describePurposes(items.flatMap(({ appId, purpose }) => (purpose === null ? [] : [appId])))
    return {
      entries: items.map((entry) => ({
        ...entry,
        appName: names.get(entry.appId) ?? entry.appId,
        purpose: entry.purpose === null ? null : describe(entry.appId, entry.purpose, entry.at)
      })),
      nextCursor
    }
  }
)

/**
 * The filter with the purpose's key in place of its id. Undefined when no entry can match: no purpose has the id, or
 * the purpose belongs to another app than the one that the filter names.
 */
const toFilter = ({ purposeId, ...rest }: AccessLogQuery) =>
  Effect.gen(function* () {
    if (purposeId === undefined) return rest
    const purpose = Option.getOrUndefined(yield* (yield* PurposeStore).find(purposeId))
    if (purpose === undefined || (rest.appId !== undefined && rest.appId !== purpose.appId)) return undefined
    return { ...rest, appId: purpose.appId, purpose: purpose.key }
  })
