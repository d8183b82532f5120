import { Context, type Effect, type Either, type Option } from "effect"
import type { OutboxEvent } from "../events/Event.js"
import type { ConnectionId, EventId, RuleId, SubscriptionId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Receiver, Subscription } from "./Receiver.js"
import type { Imported, ImportState, Owner, OwnerName } from "./RuleImport.js"

/** What is left from before apps had endpoints: subscriptions, and rules with an address of their own (Spec §4.8, §6.4.9). */
export class LegacyStore extends Context.Tag("@place-access/domain/legacy/LegacyStore")<
  LegacyStore,
  {
    /**
     * Counts and stores under the connection's lock. `full` when it has `Receiver.MAX_PER_CONNECTION` already, `ended` when the
     * connection has ended or its standard tier has passed.
     */
    readonly subscribe: (subscription: Subscription) => Effect.Effect<"created" | "full" | "ended", StoreError>
    /** False when the connection has no such subscription. */
    readonly unsubscribe: (
      userId: UserId,
      connectionId: ConnectionId,
      id: SubscriptionId
    ) => Effect.Effect<boolean, StoreError>
    /** Whether the connection has this subscription. */
    readonly isSubscribed: (
      userId: UserId,
      connectionId: ConnectionId,
      id: SubscriptionId
    ) => Effect.Effect<boolean, StoreError>
    /**
     * Those of each event, none for events of no rule. A deleted rule's own address is among them, so that its event goes to
     * nobody else; whether it may still be told is asked before it is.
     */
    readonly receivers: (
      events: ReadonlyArray<OutboxEvent>
    ) => Effect.Effect<ReadonlyMap<EventId, ReadonlyArray<Receiver>>, StoreError>

    /** By its id, or by app and `sub`: then the one that has not ended, else the newest. None when there is none. */
    readonly findOwner: (name: OwnerName) => Effect.Effect<Option.Option<Owner>, StoreError>
    /**
     * Locks the connections of `asked` by id, reads the clock, their rules and whatever of the users' has one of the ids, then
     * decides; stores all that `decide` returns, or nothing. Rules that are there already are not for `decide` to return.
     */
    readonly importRules: <E>(
      asked: ReadonlyArray<{ readonly owner: Owner; readonly id: RuleId }>,
      decide: (state: ImportState, now: Timestamp) => Either.Either<ReadonlyArray<Imported>, E>
    ) => Effect.Effect<Either.Either<ReadonlyArray<Imported>, E>, StoreError>
  }
>() {}
