import { Effect } from "effect"
import type { Connection } from "../connection/Connection.js"
import { FixHistory } from "../fixes/FixHistory.js"
import * as Budget from "../limits/Budget.js"
import type { LimitStore } from "../limits/LimitStore.js"
import { spendBudget } from "../limits/spendBudget.js"
import type { Circle } from "../places/Geometry.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import { newestDecisive } from "./newestDecisive.js"
import * as Presence from "./Presence.js"

/**
 * Whether the user is inside a circle of the app's own, by fixes of the last `maxAgeS` seconds. Questions like this could be
 * used to close in on somebody, so a connection has a budget of them: `BudgetExceeded` when it is used up.
 */
export const verifyZone = (
  { id, userId }: Pick<Connection, "id" | "userId">,
  circle: Circle,
  maxAgeS: number
): Effect.Effect<Presence.Presence, Budget.BudgetExceeded | StoreError, FixHistory | LimitStore> =>
  Effect.gen(function* () {
    yield* spendBudget(Budget.VERIFY_ZONE, { userId, connectionId: id })
    return yield* newestDecisive(yield* FixHistory, userId, maxAgeS, (fixes, since) =>
      Presence.decide(circle, fixes, since)
    )
  }).pipe(Telemetry.span("verifyZone"))
