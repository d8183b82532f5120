import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { nameApps } from "../apps/readApps.js"
import * as Staff from "../reviews/Staff.js"
import { Cursor, type Page, type Timestamp, program } from "../shared/index.js"
import { describePurposes } from "./describePurposes.js"
import * as VolumeFlag from "./VolumeFlag.js"
import { VolumeFlagStore } from "./VolumeFlagStore.js"

/**
 * Flags purposes with too many calls in the day up to `now`, and returns the number of new flags. A worker runs this
 * program every hour (Spec §8). Several workers may run it at the same time, or again later: the same calls are flagged
 * only once.
 */
export const flagVolumes = program("flagVolumes", function* (now: Timestamp.Timestamp) {
  return yield* (yield* VolumeFlagStore).raise({ ...VolumeFlag.window(now), factor: VolumeFlag.FACTOR })
})

/** A flag with the names by which people know the app and the purpose. */
export interface ReadableFlag extends VolumeFlag.VolumeFlag {
  readonly appName: string
  /**
   * The wording of the purpose that was in force at the end of the counted day. Null when the purpose was deleted
   * together with its app. The purpose's key is not shown instead, because users never see the key of a purpose (Spec
   * §2.4, decision M13).
   */
  readonly purposeDescription: string | null
}

/** All flags, newest first, for reviewers and admins. Fails with `Forbidden` for other accounts. */
export const listVolumeFlags = program("listVolumeFlags", function* (account: Account, page: Page.PageRequest) {
  yield* Staff.requireReviewer(account)
  const flags = yield* VolumeFlagStore
  return yield* paged("volume flags", page, flags.list)
})

/** The flags about the user's own connections, newest first. The user's pages show them with the access log. */
export const listOwnVolumeFlags = program("listOwnVolumeFlags", function* (account: Account, page: Page.PageRequest) {
  const flags = yield* VolumeFlagStore
  return yield* paged(`volume flags about ${account.id}`, page, (limit, after) =>
    flags.listOfUser(account.id, limit, after)
  )
})

const paged = (query: string, page: Page.PageRequest, list: VolumeFlagStore["Type"]["list"]) =>
  Effect.gen(function* () {
    const { items, nextCursor } = yield* Cursor.page(query, page, list)
    const names = yield* nameApps(items.map(({ appId }) => appId))
    const describe = yield* describePurposes(items.map(({ appId }) => appId))
    const flags = items.map((flag): ReadableFlag => {
      const appName = names.get(flag.appId) ?? flag.appId
      const purpose = describe(flag.appId, flag.purposeKey, flag.to)
      return { ...flag, appName, purposeDescription: purpose?.description ?? null }
    })
    return { flags, nextCursor }
  })
