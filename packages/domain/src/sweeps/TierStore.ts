import { Context, type Option } from "effect"
import type { WithApp, Write } from "../connection/ConnectionStore.js"
import type { ConnectionId, StoreEffect, UserId } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { SensitiveNotice } from "../tiers/SensitiveNotice.js"

export interface DueTiers {
  readonly userId: UserId
  readonly id: ConnectionId
}

/** A connection, as a sweep sees it while its row is locked. */
export interface Dated extends WithApp {
  /** Notices due before this moment were sent or dropped. */
  readonly from: Timestamp
  /** The notices that the app has got already. */
  readonly told: ReadonlyArray<SensitiveNotice>
}

/** The outcome of a sweep. Its writes are committed together. */
export interface Sweep<A> {
  readonly outcome: A
  readonly writes: ReadonlyArray<Write>
  readonly told: ReadonlyArray<SensitiveNotice>
}

/** Connections whose next date has come, and the notices that their apps got. */
export class TierStore extends Context.Tag("@place-access/domain/sweeps/TierStore")<
  TierStore,
  {
    /**
     * Leases up to `limit` connections that have not ended and are due by `now`, longest due first, until `leaseUntil`.
     * When a worker dies, its leases run out and another worker takes over. Locked rows may be left out.
     */
    readonly claimDue: (limit: number, now: Timestamp, leaseUntil: Timestamp) => StoreEffect<ReadonlyArray<DueTiers>>
    /** At most `limit` due connections, longest due first. Locked rows, which `claimDue` leaves out, are included. */
    readonly listDue: (limit: number, now: Timestamp) => StoreEffect<ReadonlyArray<DueTiers>>
    /** Locks the row, commits what `decide` returns, ends the lease (decision O8). None: nothing is due. */
    readonly sweep: <A>(
      due: DueTiers,
      decide: (state: Dated, now: Timestamp) => Sweep<A>
    ) => StoreEffect<Option.Option<A>>
  }
>() {}
