import { Effect } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { Invalid } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { FixHistory } from "./FixHistory.js"
import * as HistoryQuery from "./HistoryQuery.js"
import * as LocalDays from "./LocalDays.js"

/** What there is of one day of the calendar. */
export interface Day {
  readonly date: string
  readonly fixes: number
  readonly firstAt: Timestamp.Timestamp
  readonly lastAt: Timestamp.Timestamp
}

/**
 * The days of the zone's calendar on which the user was seen between the two moments, oldest first; days without a fix are left
 * out. `Invalid` for an unknown zone and a stretch that is empty or longer than 366 days.
 */
export const listDays = (
  userId: UserId,
  asked: HistoryQuery.Asked,
  tz: string
): Effect.Effect<ReadonlyArray<Day>, Invalid | StoreError, FixHistory> =>
  Effect.gen(function* () {
    const { from, until, zone } = yield* HistoryQuery.checkDays(asked, tz)
    const days = LocalDays.between(zone, from, until)
    const edges = [...days.map((day) => day.from), until]
    const tallies = yield* (yield* FixHistory).tally(userId, yield* Timestamp.now, edges)
    return tallies.flatMap(({ edge, ...tally }) => {
      const day = days[edge]
      return day === undefined ? [] : [{ date: day.date, ...tally }]
    })
  }).pipe(Effect.withSpan("listDays"))
