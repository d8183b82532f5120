import { Context, type Either, type Option } from "effect"
import type { OutboxEvent } from "../events/Event.js"
import type { ConnectionId, EventId, RuleId, StoreEffect, SubscriptionId, Timestamp, UserId } from "../shared/index.js"
import type { LegacyReceiver, Subscription } from "./Receiver.js"
import type { Imported, RuleImportFacts, RuleOwner, OwnerName } from "./RuleImport.js"

/** The port of legacy webhooks: subscriptions, and rules with a separate address (Spec §4.8, §6.4.9). */
export class LegacyStore extends Context.Tag("@place-access/domain/legacy/LegacyStore")<
  LegacyStore,
  {
    /**
     * Stores a subscription under the connection's lock. `full`: the connection already has
     * `Receiver.MAX_PER_CONNECTION` subscriptions. `ended`: the connection or its standard tier has ended.
     */
    readonly subscribe: (subscription: Subscription) => StoreEffect<"created" | "full" | "ended">
    /** Removes a subscription. Returns false when the connection has no subscription with this id. */
    readonly unsubscribe: (userId: UserId, connectionId: ConnectionId, id: SubscriptionId) => StoreEffect<boolean>
    /** The subscriptions of a connection, oldest first. */
    readonly subscriptions: (userId: UserId, connectionId: ConnectionId) => StoreEffect<ReadonlyArray<Subscription>>
    /** Whether the connection has this subscription. */
    readonly isSubscribed: (userId: UserId, connectionId: ConnectionId, id: SubscriptionId) => StoreEffect<boolean>
    /**
     * The legacy receivers of each event. An event that is not from a rule has no legacy receiver. The receiver of an
     * event of a deleted rule is still the rule's address, because otherwise the event would go to another receiver.
     * The worker does not send this event: it checks the user's permission before it sends, and refuses events of
     * deleted rules.
     */
    readonly receivers: (
      events: ReadonlyArray<OutboxEvent>
    ) => StoreEffect<ReadonlyMap<EventId, ReadonlyArray<LegacyReceiver>>>

    /**
     * The connection that `name` identifies: by the connection's id, or by the app and the `sub` with which the app
     * knows the user. When several connections of the app have the `sub`, returns the connection that has not ended;
     * when all have ended, the newest. None when there is no such connection.
     */
    readonly findOwner: (name: OwnerName) => StoreEffect<Option.Option<RuleOwner>>
    /**
     * Locks the connections of `requested` in the order of their ids. Then reads the clock, the shared places and the
     * rules of these connections, and the users' rules whose ids are in `requested`, and calls `decide`. Stores
     * everything that `decide` returned, or nothing. `decide` must not return rules that are stored already.
     */
    readonly importRules: <E>(
      requested: ReadonlyArray<{ readonly owner: RuleOwner; readonly id: RuleId }>,
      decide: (state: RuleImportFacts, now: Timestamp.Timestamp) => Either.Either<ReadonlyArray<Imported>, E>
    ) => StoreEffect<Either.Either<ReadonlyArray<Imported>, E>>
  }
>() {}
