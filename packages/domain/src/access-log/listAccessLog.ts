import { Effect, Option } from "effect"
import type { AppStore } from "../apps/AppStore.js"
import { nameApps } from "../apps/nameApps.js"
import * as Purpose from "../purposes/Purpose.js"
import { PurposeStore } from "../purposes/PurposeStore.js"
import * as Cursor from "../shared/Cursor.js"
import type { AppId, PurposeId, UserId } from "../shared/Ids.js"
import { Invalid } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Vault, VaultError } from "../shared/Vault.js"
import type { AccessLogEntry } from "./AccessLogEntry.js"
import { AccessLogStore, type Filter } from "./AccessLogStore.js"

const MAX_LIMIT = 500

/** A purpose as users know it: by its words, and an id that says nothing. The key is never shown to users (Spec §2.4). */
export interface LoggedPurpose {
  readonly id: PurposeId
  readonly description: string
}

/** With what the user knows the app and the purpose by. */
export interface Entry extends Omit<AccessLogEntry, "purpose"> {
  readonly appName: string
  /** Null without a purpose. */
  readonly purpose: LoggedPurpose | null
}

/** What a user looks for; the purpose by its id, as entries name it. */
export interface Query extends Omit<Filter, "purpose"> {
  readonly purposeId?: PurposeId | undefined
}

export interface AccessLogPage {
  readonly entries: ReadonlyArray<Entry>
  /** Null on the last page. Good for the same user and filter only. */
  readonly nextCursor: string | null
}

/** What apps asked about the user, newest first (Spec §1.7). Entries outlive connections and apps' names are those of now. */
export const listAccessLog = (
  userId: UserId,
  asked: Query,
  limit: number,
  cursor: string | undefined
): Effect.Effect<AccessLogPage, Invalid | StoreError | VaultError, AccessLogStore | AppStore | PurposeStore | Vault> =>
  Effect.gen(function* () {
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      return yield* Invalid.of("limit", `must be a whole number from 1 to ${MAX_LIMIT}`)
    }
    const query = JSON.stringify([
      "access-log",
      userId,
      asked.appId ?? null,
      asked.purposeId ?? null,
      asked.from ?? null,
      asked.to ?? null
    ])
    const after = cursor === undefined ? undefined : yield* Cursor.open(cursor, query)
    const filter = yield* toFilter(asked)
    if (filter === undefined) return { entries: [], nextCursor: null }
    const page = yield* (yield* AccessLogStore).list(userId, filter, limit, after)
    const names = yield* nameApps(page.items.map((entry) => entry.appId))
    const describe = yield* describePurposes(page.items)
    return {
      entries: page.items.map((entry) => ({
        ...entry,
        appName: names.get(entry.appId) ?? entry.appId,
        purpose: entry.purpose === null ? null : describe(entry.appId, entry.purpose)
      })),
      nextCursor: page.next === undefined ? null : yield* Cursor.seal(page.next, query)
    }
  }).pipe(Effect.withSpan("listAccessLog"))

/** Undefined when nothing can fit: an unknown purpose, or one of another app than the one asked for. */
const toFilter = ({ purposeId, ...rest }: Query) =>
  Effect.gen(function* () {
    if (purposeId === undefined) return rest
    const purpose = Option.getOrUndefined(yield* (yield* PurposeStore).find(purposeId))
    if (purpose === undefined || (rest.appId !== undefined && rest.appId !== purpose.appId)) return undefined
    return { ...rest, appId: purpose.appId, purpose: purpose.key }
  })

/** Purposes of the apps that named any, archived ones included: an app that ever was connected keeps them. */
const describePurposes = (entries: ReadonlyArray<AccessLogEntry>) =>
  Effect.gen(function* () {
    const purposes = yield* PurposeStore
    const ids = new Set(entries.flatMap(({ appId, purpose }) => (purpose === null ? [] : [appId])))
    const known = new Map(
      yield* Effect.forEach(ids, (id) => Effect.map(purposes.list(id), (list) => [id, list] as const))
    )
    return (appId: AppId, key: string): LoggedPurpose | null => {
      const purpose = known.get(appId)?.find((one) => one.key === key)
      return purpose === undefined ? null : { id: purpose.id, description: Purpose.wording(purpose) }
    }
  })
