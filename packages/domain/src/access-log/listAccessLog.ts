import { Effect } from "effect"
import type { AppStore } from "../apps/AppStore.js"
import { nameApps } from "../apps/nameApps.js"
import * as Purpose from "../purposes/Purpose.js"
import { PurposeStore } from "../purposes/PurposeStore.js"
import * as Cursor from "../shared/Cursor.js"
import type { AppId, UserId } from "../shared/Ids.js"
import { Invalid } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Vault, VaultError } from "../shared/Vault.js"
import type { AccessLogEntry } from "./AccessLogEntry.js"
import { AccessLogStore, type Filter } from "./AccessLogStore.js"

const MAX_LIMIT = 500

/** With what the user knows the app and the purpose by. */
export interface Entry extends AccessLogEntry {
  readonly appName: string
  /** Null without a purpose. The key is never shown to users (Spec §2.4). */
  readonly purposeDescription: string | null
}

export interface AccessLogPage {
  readonly entries: ReadonlyArray<Entry>
  /** Null on the last page. Good for the same user and filter only. */
  readonly nextCursor: string | null
}

/** What apps asked about the user, newest first (Spec §1.7). Entries outlive connections and apps' names are those of now. */
export const listAccessLog = (
  userId: UserId,
  filter: Filter,
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
      filter.appId ?? null,
      filter.purpose ?? null,
      filter.from ?? null,
      filter.to ?? null
    ])
    const after = cursor === undefined ? undefined : yield* Cursor.open(cursor, query)
    const page = yield* (yield* AccessLogStore).list(userId, filter, limit, after)
    const names = yield* nameApps(page.items.map((entry) => entry.appId))
    const wordings = yield* describePurposes(page.items)
    return {
      entries: page.items.map((entry) => ({
        ...entry,
        appName: names.get(entry.appId) ?? entry.appId,
        purposeDescription: entry.purpose === null ? null : (wordings(entry.appId, entry.purpose) ?? entry.purpose)
      })),
      nextCursor: page.next === undefined ? null : yield* Cursor.seal(page.next, query)
    }
  }).pipe(Effect.withSpan("listAccessLog"))

/** Purposes of the apps that named any, archived ones included. */
const describePurposes = (entries: ReadonlyArray<AccessLogEntry>) =>
  Effect.gen(function* () {
    const purposes = yield* PurposeStore
    const ids = new Set(entries.flatMap(({ appId, purpose }) => (purpose === null ? [] : [appId])))
    const known = new Map(
      yield* Effect.forEach(ids, (id) => Effect.map(purposes.list(id), (list) => [id, list] as const))
    )
    return (appId: AppId, key: string): string | undefined => {
      const purpose = known.get(appId)?.find((one) => one.key === key)
      return purpose === undefined ? undefined : Purpose.wording(purpose)
    }
  })
