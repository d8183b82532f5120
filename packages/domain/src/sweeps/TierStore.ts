import { Context, type Option } from "effect"
import type { WithApp, Write } from "../connection/ConnectionStore.js"
import type { ConnectionId, StoreEffect, UserId } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { SensitiveNotice } from "../tiers/SensitiveNotice.js"

export interface ConnectionKey {
  readonly userId: UserId
  readonly id: ConnectionId
}

export interface DueTiers extends ConnectionKey {
  /** Since when the connection is due. */
  readonly dueAt: Timestamp
}

/** A page of the due connections. */
export interface DueTiersPage {
  /** Only connections of people of these buckets. */
  readonly buckets: ReadonlyArray<number>
  readonly now: Timestamp
  readonly limit: number
  /** Only connections after this one. */
  readonly after: DueTiers | undefined
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
    /** Connections that have not ended and are due by `now`: the longest due first, then by id. */
    readonly due: (page: DueTiersPage) => StoreEffect<ReadonlyArray<DueTiers>>
    /**
     * Locks the row and commits what `decide` returns (decision O8). `decide` sees the row as it is then: another
     * worker may have swept it. None: the connection has ended or has no next date.
     */
    readonly sweep: <A>(
      connection: ConnectionKey,
      decide: (state: Dated, now: Timestamp) => Sweep<A>
    ) => StoreEffect<Option.Option<A>>
  }
>() {}
