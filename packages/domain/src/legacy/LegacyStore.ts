import { Context, type Either, type Option } from "effect"
import type { OutboxEvent } from "../events/Event.js"
import type { ConnectionId, EventId, RuleId, StoreEffect, SubscriptionId, Timestamp, UserId } from "../shared/index.js"
import type { LegacyReceiver, Subscription } from "./Receiver.js"
import type { Imported, RuleImportFacts, RuleOwner, OwnerName } from "./RuleImport.js"

/** The port of subscriptions and of rules with an address of their own (Spec §4.8, §6.4.9). */
export class LegacyStore extends Context.Tag("@place-access/domain/legacy/LegacyStore")<
  LegacyStore,
  {
    /**
     * Counts the subscriptions and stores the new one, under the connection's lock. `full` when the connection already
     * has `Receiver.MAX_PER_CONNECTION` subscriptions, `ended` when the connection or its standard tier has ended.
     */
    readonly subscribe: (subscription: Subscription) => StoreEffect<"created" | "full" | "ended">
    /** Removes a subscription. False when the connection has no subscription of this id. */
    readonly unsubscribe: (userId: UserId, connectionId: ConnectionId, id: SubscriptionId) => StoreEffect<boolean>
    /** Whether the connection has this subscription. */
    readonly isSubscribed: (userId: UserId, connectionId: ConnectionId, id: SubscriptionId) => StoreEffect<boolean>
    /**
     * The legacy receivers of each event; none for an event without a rule. The address of a deleted rule is included,
     * so that the last events of the rule go to this address and to no other receiver. Permission is checked before
     * sending.
     */
    readonly receivers: (
      events: ReadonlyArray<OutboxEvent>
    ) => StoreEffect<ReadonlyMap<EventId, ReadonlyArray<LegacyReceiver>>>

    /**
     * The connection with this id, or the app's connection with the user whom the app knows as this `sub`. When several
     * connections have the `sub`: one that has not ended, else the newest.
     */
    readonly findOwner: (name: OwnerName) => StoreEffect<Option.Option<RuleOwner>>
    /**
     * Locks the connections of `asked` in the order of their ids, reads the clock, the connections' rules and the
     * users' rules with the ids in `asked`, and calls `decide`. Stores everything that `decide` returned, or nothing.
     * `decide` must not return rules that exist.
     */
    readonly importRules: <E>(
      asked: ReadonlyArray<{ readonly owner: RuleOwner; readonly id: RuleId }>,
      decide: (state: RuleImportFacts, now: Timestamp.Timestamp) => Either.Either<ReadonlyArray<Imported>, E>
    ) => StoreEffect<Either.Either<ReadonlyArray<Imported>, E>>
  }
>() {}
