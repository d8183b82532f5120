// Answers to an app that contain coordinates. While the app is paused, the answers are empty (decision connection-4).
import { Effect, Option } from "effect"
import type { Connection } from "../connection/Connection.js"
import * as Pause from "../connection/Pause.js"
import { type FixPage, type HistoryQuery, latestFix, listDays, listFixes, nearestFix } from "../fixes/index.js"
import { program, Timestamp } from "../shared/index.js"

type Asker = Pick<Connection, "userId" | "pause">

/** `answer`, or `none` while the app is paused. */
const unlessPaused = <A, B, E, R>({ pause }: Asker, none: B, answer: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Timestamp.now, (now): Effect.Effect<A | B, E, R> =>
    Pause.isOn(pause, now) ? Effect.succeed(none) : answer
  )

/** The user's newest fix (`latestFix`); none while the app is paused. */
export const latestForApp = program("latestForApp", function* (connection: Asker) {
  return yield* unlessPaused(connection, Option.none(), latestFix(connection.userId))
})

/** The fix nearest in time to `at` (`nearestFix`); undefined while the app is paused. */
export const nearestForApp = program(
  "nearestForApp",
  function* (connection: Asker, at: Timestamp.Timestamp, toleranceMs: number) {
    return yield* unlessPaused(connection, undefined, nearestFix(connection.userId, at, toleranceMs))
  }
)

const NO_FIXES: FixPage = { fixes: [], nextCursor: null }

/** The user's fixes of a span (`listFixes`); an empty page while the app is paused. */
export const fixesForApp = program(
  "fixesForApp",
  function* (
    connection: Asker & Pick<Connection, "id">,
    asked: HistoryQuery.HistoryRequest,
    limit: number,
    cursor: string | undefined
  ) {
    return yield* unlessPaused(connection, NO_FIXES, listFixes(connection, asked, limit, cursor))
  }
)

/** The days with fixes (`listDays`); an empty list while the app is paused. */
export const daysForApp = program(
  "daysForApp",
  function* (connection: Asker, asked: HistoryQuery.HistoryRequest, tz: string) {
    return yield* unlessPaused(connection, [], listDays(connection.userId, asked, tz))
  }
)
