import { Effect } from "effect"
import { FixHistory } from "../../../../src/fixes/FixHistory.js"
import { eraseHistory } from "../../../../src/retention-choice/eraseHistory.js"
import { ConnectionId, UserId } from "../../../../src/shared/Ids.js"
import * as Scope from "../../../../src/shared/Scope.js"
import * as Timestamp from "../../../../src/shared/Timestamp.js"
import {
  changeConnection,
  endExactLocation,
  pauseAll,
  pauseConnection,
  resumeAll,
  resumeConnection
} from "../../../../src/steering/steerConnections.js"
import { ownVisits } from "../../../../src/timeline/ownVisits.js"
import type { Handlers } from "./Handlers.js"

/** The number of visits, and of readings, for which the owner's read asks. Most runs have fewer visits and readings. */
const MOST = 500

/** How users pause and change their connections, and delete and read their own history. */
export const steering: Handlers<
  | "pauseConnection"
  | "resumeConnection"
  | "pauseAll"
  | "resumeAll"
  | "endExactLocation"
  | "changeConnection"
  | "eraseHistory"
  | "readOwnHistory"
> = {
  pauseConnection: ({ connectionId, length, userId }) =>
    Effect.as(pauseConnection(UserId.make(userId), ConnectionId.make(connectionId), length), null),

  resumeConnection: ({ connectionId, userId }) =>
    Effect.as(resumeConnection(UserId.make(userId), ConnectionId.make(connectionId)), null),

  pauseAll: ({ length, userId }) =>
    Effect.map(pauseAll(UserId.make(userId), length), (connections) => ({ connections })),

  resumeAll: ({ userId }) => Effect.map(resumeAll(UserId.make(userId)), (connections) => ({ connections })),

  endExactLocation: ({ connectionId, userId }) =>
    Effect.as(endExactLocation(UserId.make(userId), ConnectionId.make(connectionId)), null),

  changeConnection: ({ connectionId, scopes, sensitiveDays, standardDays, userId }) =>
    Effect.as(
      changeConnection(
        UserId.make(userId),
        ConnectionId.make(connectionId),
        {
          scopes: scopes?.filter(Scope.isScope),
          standardDays: standardDays ?? undefined,
          sensitiveDays: sensitiveDays ?? undefined,
          shown: "unchecked"
        },
        // Some changes of a connection need a recent sign-in. Simulated users have no session in this operation, so the
        // sign-in counts as recent. Other tests check this requirement.
        { isFresh: true }
      ),
      null
    ),

  eraseHistory: ({ from, until, userId }) =>
    Effect.as(eraseHistory(UserId.make(userId), { from: Timestamp.make(from), until: Timestamp.make(until) }), null),

  readOwnHistory: ({ userId }) =>
    Effect.gen(function* () {
      const owner = UserId.make(userId)
      const { visits } = yield* ownVisits(owner, { from: null, to: null, limit: MOST, cursor: undefined })
      const now = yield* Timestamp.now
      const fixes = yield* (yield* FixHistory).newest(owner, now, { from: Timestamp.make(0), until: null }, MOST)
      return {
        visits: visits.map(({ arrival, departure, place }) => ({ arrival, departure, placeId: place.id })),
        readings: fixes.map(({ capturedAt }) => capturedAt)
      }
    })
}
