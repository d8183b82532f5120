import { Effect, Option } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { StoredFix } from "./Fix.js"
import { FixHistory } from "./FixHistory.js"

/** Where the user was last seen, however long ago and however precisely. */
export const latestFix = (userId: UserId): Effect.Effect<Option.Option<StoredFix>, StoreError, FixHistory> =>
  Effect.gen(function* () {
    const newest = yield* (yield* FixHistory).newest(userId, yield* Timestamp.now, { from: null, until: null }, 1)
    return Option.fromNullable(newest[0])
  }).pipe(Telemetry.span("latestFix"))
