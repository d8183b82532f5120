import { Effect, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import { nameApps } from "../apps/nameApps.js"
import * as Staff from "../reviews/Staff.js"
import * as Cursor from "../shared/Cursor.js"
import type { PurposeId } from "../shared/Ids.js"
import type { Page } from "../shared/Page.js"
import type { StoreError } from "../shared/StoreError.js"
import { wording } from "./Purpose.js"
import { PurposeStore } from "./PurposeStore.js"
import type { VolumeFlag } from "./VolumeFlag.js"
import { VolumeFlagStore } from "./VolumeFlagStore.js"

interface Asked {
  readonly limit: number
  readonly cursor: string | undefined
}

/** With what people know the app and the purpose by. */
export interface ReadableFlag extends VolumeFlag {
  readonly appName: string
  /** The key is never shown to users (Spec §2.4). */
  readonly purposeDescription: string
}

/** Everybody's flags, newest first, for reviewers and admins (`Forbidden` for others). */
export const listVolumeFlags = Effect.fn("listVolumeFlags")(function* (account: Account, page: Asked) {
  yield* Staff.requireReviewer(account)
  const flags = yield* VolumeFlagStore
  return yield* paged("volume flags", page, flags.list)
})

/** The flags about the user's own connections, newest first: shown with the access log. */
export const listOwnVolumeFlags = Effect.fn("listOwnVolumeFlags")(function* (account: Account, page: Asked) {
  const flags = yield* VolumeFlagStore
  return yield* paged(`volume flags about ${account.id}`, page, (limit, after) =>
    flags.listOfUser(account.id, limit, after)
  )
})

type List = (
  limit: number,
  after: ReadonlyArray<string | number> | undefined
) => Effect.Effect<Page<VolumeFlag>, StoreError>

const paged = (query: string, { cursor, limit }: Asked, list: List) =>
  Effect.gen(function* () {
    const after = cursor === undefined ? undefined : yield* Cursor.open(cursor, query)
    const { items, next } = yield* list(limit, after)
    const names = yield* nameApps(items.map(({ appId }) => appId))
    const wordings = yield* describePurposes(items.map(({ purposeId }) => purposeId))
    const flags = items.map((flag): ReadableFlag => {
      const appName = names.get(flag.appId) ?? flag.appId
      return { ...flag, appName, purposeDescription: wordings.get(flag.purposeId) ?? flag.purposeKey }
    })
    return { flags, nextCursor: next === undefined ? null : yield* Cursor.seal(next, query) }
  })

/** Archived ones included. */
const describePurposes = (ids: Iterable<PurposeId>) =>
  Effect.gen(function* () {
    const purposes = yield* PurposeStore
    const wordings = new Map<PurposeId, string>()
    for (const id of new Set(ids)) {
      const purpose = yield* purposes.find(id)
      if (Option.isSome(purpose)) wordings.set(id, wording(purpose.value))
    }
    return wordings
  })
