import { Effect } from "effect"
import type { Connection } from "../connection/Connection.js"
import { FixHistory } from "../fixes/FixHistory.js"
import { askZone } from "../limits/askZone.js"
import type { BudgetExceeded } from "../limits/Budget.js"
import type { LimitStore } from "../limits/LimitStore.js"
import type { Circle } from "../places/Geometry.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import { newestDecisive } from "./newestDecisive.js"
import * as Presence from "./Presence.js"

/**
 * Whether the user is inside a circle of the app's own, by fixes of the last `maxAgeS` seconds. Questions like this could be
 * used to close in on somebody, so a person and an app have a budget of them, zone rules included: `BudgetExceeded` when it is
 * used up.
 */
export const verifyZone = (
  { appId, userId }: Pick<Connection, "appId" | "userId">,
  circle: Circle,
  maxAgeS: number
): Effect.Effect<Presence.Presence, BudgetExceeded | StoreError, FixHistory | LimitStore> =>
  Effect.gen(function* () {
    yield* askZone({ userId, appId }, circle)
    return yield* newestDecisive(yield* FixHistory, userId, maxAgeS, (fixes, since) =>
      Presence.decide(circle, fixes, since)
    )
  }).pipe(Telemetry.span("verifyZone"))
