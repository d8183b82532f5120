import { Effect } from "effect"
import type { FixHistory } from "../fixes/FixHistory.js"
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
  history: FixHistory["Type"],
  userId: UserId,
  maxAgeS: number,
  decide: (fixes: ReadonlyArray<StoredFix>, since: Timestamp.Timestamp) => A
): Effect.Effect<A, StoreError> =>
  Timestamp.nowWith((now) => {
    const since = Timestamp.plus(now, -maxAgeS * Timestamp.SECOND)
    const until = (end: Timestamp.Timestamp | null, limit: number): Effect.Effect<A, StoreError> =>
      Effect.flatMap(history.newest(userId, now, { from: since, until: end }, limit), (fixes) => {
        const answer = decide(fixes, since)
        const last = fixes.at(-1)
        return answer.state !== "unknown" || last === undefined || fixes.length < limit
          ? Effect.succeed(answer)
          : until(last.capturedAt, Math.min(limit * 8, PAGE_MAX))
      })
    return until(null, FIRST_PAGE)
  })
