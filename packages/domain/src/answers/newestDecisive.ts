import { Effect } from "effect"
import { FixHistory } from "../fixes/FixHistory.js"
import type { StoredFix } from "../fixes/Fix.js"
import type { UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"

/** The newest fix decides as a rule; where it does not, hundreds may not (a phone beside the edge of a place). */
const FIRST_PAGE = 8
const PAGE_MAX = 1_000

/**
 * What `decide` says of the user's fixes that are at most `maxAgeS` seconds old, the newest first: asked page by page for as long
 * as it says "unknown".
 */
export const newestDecisive = <A extends { readonly state: string }>(
  userId: UserId,
  maxAgeS: number,
  decide: (fixes: ReadonlyArray<StoredFix>, since: Timestamp.Timestamp) => A
): Effect.Effect<A, StoreError, FixHistory> =>
  Effect.gen(function* () {
    const history = yield* FixHistory
    const now = yield* Timestamp.now
    const since = Timestamp.plus(now, -maxAgeS * Timestamp.SECOND)
    let until: Timestamp.Timestamp | null = null
    for (let limit = FIRST_PAGE; ; limit = Math.min(limit * 8, PAGE_MAX)) {
      const fixes: ReadonlyArray<StoredFix> = yield* history.newest(userId, now, { from: since, until }, limit)
      const answer = decide(fixes, since)
      const last = fixes.at(-1)
      if (answer.state !== "unknown" || last === undefined || fixes.length < limit) return answer
      until = last.capturedAt
    }
  })
