import { Context, type Effect, type Option } from "effect"
import type { WithApp, Write } from "../connection/ConnectionStore.js"
import type { ConnectionId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { SensitiveNotice } from "./SensitiveNotice.js"

export interface Due {
  readonly userId: UserId
  readonly id: ConnectionId
}

/** What a sweep sees of a connection while its row is locked. */
export interface Dated extends WithApp {
  /** Everything that was to be told before this moment is settled. */
  readonly from: Timestamp
  /** What its app was told, of every date. */
  readonly told: ReadonlyArray<SensitiveNotice>
}

/** Written together or not at all. */
export interface Sweep<A> {
  readonly outcome: A
  readonly writes: ReadonlyArray<Write>
  readonly told: ReadonlyArray<SensitiveNotice>
}

/** Which connections have come to a date, and what was told of it. */
export class TierStore extends Context.Tag("@place-access/domain/tiers/TierStore")<
  TierStore,
  {
    /**
     * Up to `limit` connections that have not ended and that are to be looked at by `now`, the longest due first, held until
     * `leaseUntil`: no other worker gets them before. Whoever dies leaves them to the lease. Those whose row is locked just
     * then may be passed over.
     */
    readonly claimDue: (
      limit: number,
      now: Timestamp,
      leaseUntil: Timestamp
    ) => Effect.Effect<ReadonlyArray<Due>, StoreError>
    /** Up to `limit` that could be claimed, locked or not, the longest due first: what claims passed over. */
    readonly listDue: (limit: number, now: Timestamp) => Effect.Effect<ReadonlyArray<Due>, StoreError>
    /**
     * Locks the connection's row first, then reads the clock, then decides and writes (decision O8). Settles the claim. None
     * when there is no such connection, or nothing left to look at: it has ended, or was looked at meanwhile.
     */
    readonly sweep: <A>(
      due: Due,
      decide: (state: Dated, now: Timestamp) => Sweep<A>
    ) => Effect.Effect<Option.Option<A>, StoreError>
  }
>() {}
