import { Context, Effect } from "effect"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Timestamp from "../shared/Timestamp.js"
import { LimitStore } from "./LimitStore.js"
import * as Rate from "./Rate.js"
import { KINDS, kindOf, type Subject } from "./Subject.js"

const refusals = Telemetry.counter("place_access.limit.refusals", {
  description: "Calls beyond a rate, by whose calls are counted",
  labels: { limit: KINDS }
})

/**
 * Counts a call and says how it stands. When it cannot be counted it must not be answered either: a limit that opens while the
 * database is in trouble is none when it is needed most.
 */
export const takeCall = (subject: Subject, rate: Rate.Rate): Effect.Effect<Rate.Standing, StoreError, LimitStore> =>
  Telemetry.program("takeCall", (ports: Context.Context<LimitStore>) =>
    Timestamp.nowWith((now) =>
      Effect.flatMap(Context.get(ports, LimitStore).count(subject, rate.windowMillis, now), (window) => {
        const standing = Rate.standing(rate, window, now)
        return standing.isAdmitted
          ? Effect.succeed(standing)
          : Effect.as(
              Telemetry.measure(() => refusals.record(1, { limit: kindOf(subject) })),
              standing
            )
      })
    )
  )
