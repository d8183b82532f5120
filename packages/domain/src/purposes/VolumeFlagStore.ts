import { Context } from "effect"
import type { Page, StoreEffect, Timestamp, UserId } from "../shared/index.js"
import type { VolumeFlag } from "./VolumeFlag.js"

/** The flags about apps that called much more often under a purpose than the purpose announced. */
export class VolumeFlagStore extends Context.Tag("@place-access/domain/purposes/VolumeFlagStore")<
  VolumeFlagStore,
  {
    /**
     * For each connection and purpose, counts the answered calls in the access log from `from`, inclusive, until `to`,
     * exclusive. A count of more than `factor` times the expected volume gets a flag. No flag is made when an earlier
     * flag of the same connection and purpose has a `to` after `from`: otherwise the same calls could be flagged twice.
     * The expected volume is that of the last approved terms, or of the newest terms of a purpose that was never
     * approved. Returns the number of new flags. When several calls of `raise` run at the same time, only one of them
     * makes flags, and the other calls return 0. Calls about test people are never flagged (decision test-people-3).
     */
    readonly raise: (window: {
      readonly from: Timestamp.Timestamp
      readonly to: Timestamp.Timestamp
      readonly factor: number
    }) => StoreEffect<number>
    /** All flags: newest first, then by descending connection and purpose. */
    readonly list: (limit: number, after: Page.PagePosition | undefined) => StoreEffect<Page.Page<VolumeFlag>>
    /** The flags about the user's connections, in the order of `list`. */
    readonly listOfUser: (
      userId: UserId,
      limit: number,
      after: Page.PagePosition | undefined
    ) => StoreEffect<Page.Page<VolumeFlag>>
  }
>() {}
