import { Effect, Option } from "effect"
import type { Connection } from "../connection/Connection.js"
import { ConnectionStore } from "../connection/ConnectionStore.js"
import type { ConnectionId, UserId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Rule } from "./Rule.js"
import { type Kind, RuleStore } from "./RuleStore.js"

/** The app's rules of one kind for the connection, oldest first (Spec §4.6). */
export const listRules = (
  caller: Pick<Connection, "userId" | "id">,
  kind: Kind
): Effect.Effect<ReadonlyArray<Rule>, StoreError, RuleStore> =>
  Effect.flatMap(RuleStore, (rules) => rules.list(caller.userId, caller.id, kind)).pipe(Effect.withSpan("listRules"))

/** What an app has asked to be told about its user, place and zone rules alike; none once the connection has ended. */
export const listRulesOfUser = (
  userId: UserId,
  connectionId: ConnectionId
): Effect.Effect<ReadonlyArray<Rule>, NotFound | StoreError, RuleStore | ConnectionStore> =>
  Effect.gen(function* () {
    const connection = yield* (yield* ConnectionStore).findOfUser(userId, connectionId)
    if (Option.isNone(connection)) return yield* new NotFound({ what: "connection" })
    return yield* (yield* RuleStore).list(userId, connectionId, "all")
  }).pipe(Effect.withSpan("listRulesOfUser"))
