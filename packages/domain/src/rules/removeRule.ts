import { Effect } from "effect"
import type { Connection } from "../connection/Connection.js"
import type { ConnectionId, RuleId, UserId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { type Kind, RuleStore } from "./RuleStore.js"

/** Stops the rule: no more events, and those that wait are not sent (Spec §3.3, §6.3.5). `NotFound` the second time. */
export const removeRule = (
  caller: Pick<Connection, "userId" | "id">,
  id: RuleId,
  kind: Kind
): Effect.Effect<void, NotFound | StoreError, RuleStore> =>
  remove(caller.userId, caller.id, id, kind).pipe(Effect.withSpan("removeRule"))

/** The same by the user, who does not tell the kinds apart. `connectionId` null: whichever connection it belongs to. */
export const removeRuleOfUser = (
  userId: UserId,
  connectionId: ConnectionId | null,
  id: RuleId
): Effect.Effect<void, NotFound | StoreError, RuleStore> =>
  remove(userId, connectionId, id, "all").pipe(Effect.withSpan("removeRuleOfUser"))

const remove = (userId: UserId, connectionId: ConnectionId | null, id: RuleId, kind: Kind) =>
  Effect.gen(function* () {
    const removed = yield* (yield* RuleStore).remove(userId, connectionId, id, kind, yield* Timestamp.now)
    if (!removed) return yield* new NotFound({ what: "rule" })
  })
