// Answers to an app that contain coordinates. While the app is paused, the answers are empty (decision connection-4).
// Even during a pause, an invalid request fails. Otherwise the app's developer would see the mistake only after the
// pause.
import { Effect } from "effect"
import type { Connection } from "../connection/Connection.js"
import * as Pause from "../connection/Pause.js"
import { checkFixes, type FixPage, HistoryQuery, latestFix, listDays, listFixes, nearestFix } from "../fixes/index.js"
import { program, Timestamp } from "../shared/index.js"

type Asker = Pick<Connection, "userId" | "pause">

/** `answer`, or `none` while the app is paused. */
const unlessPaused = <A, B, E1, E2, R1, R2>(
  { pause }: Asker,
  none: Effect.Effect<B, E1, R1>,
  answer: Effect.Effect<A, E2, R2>
) =>
  Effect.flatMap(Timestamp.now, (now): Effect.Effect<A | B, E1 | E2, R1 | R2> =>
    Pause.isOn(pause, now) ? none : answer
  )

/** The user's newest fix (`latestFix`); none while the app is paused. */
export const latestForApp = program("latestForApp", function* (connection: Asker) {
  return yield* unlessPaused(connection, Effect.succeedNone, latestFix(connection.userId))
})

/** The fix nearest in time to `at` (`nearestFix`); undefined while the app is paused. */
export const nearestForApp = program(
  "nearestForApp",
  function* (connection: Asker, at: Timestamp.Timestamp, toleranceMs: number) {
    return yield* unlessPaused(connection, Effect.succeed(undefined), nearestFix(connection.userId, at, toleranceMs))
  }
)

const NO_FIXES: FixPage = { fixes: [], nextCursor: null }

/** The user's fixes of a span (`listFixes`); an empty page while the app is paused. */
export const fixesForApp = program(
  "fixesForApp",
  function* (
    connection: Asker & Pick<Connection, "id">,
    request: HistoryQuery.HistoryRequest,
    limit: number,
    cursor: string | undefined
  ) {
    const none = Effect.as(checkFixes(connection, request, cursor), NO_FIXES)
    return yield* unlessPaused(connection, none, listFixes(connection, request, limit, cursor))
  }
)

/** The days with fixes (`listDays`); an empty list while the app is paused. */
export const daysForApp = program(
  "daysForApp",
  function* (connection: Asker, request: HistoryQuery.HistoryRequest, tz: string) {
    const none = Effect.as(HistoryQuery.checkDays(request, tz), [])
    return yield* unlessPaused(connection, none, listDays(connection.userId, request, tz))
  }
)
