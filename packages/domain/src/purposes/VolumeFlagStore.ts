import { Context, type Effect } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { Page } from "../shared/Page.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { VolumeFlag } from "./VolumeFlag.js"

/** Days on which a connection asked more for a purpose than its developer had said. */
export class VolumeFlagStore extends Context.Tag("@place-access/domain/purposes/VolumeFlagStore")<
  VolumeFlagStore,
  {
    /**
     * Counts the access log from `from` to `to`, both inclusive: answered calls with a purpose, for each connection and
     * purpose. Those of more than `factor` times the expected volume (of the wording approved last, or the newest of a purpose
     * that never was) get a flag, unless they have one whose window ended after `from`: the same calls are flagged once.
     * Answers how many are new. Of several at the same time, one counts and the others answer 0.
     */
    readonly raise: (asked: {
      readonly from: Timestamp
      readonly to: Timestamp
      readonly factor: number
    }) => Effect.Effect<number, StoreError>
    /** Everybody's: newest first, then by connection and purpose downwards. */
    readonly list: (
      limit: number,
      after: ReadonlyArray<string | number> | undefined
    ) => Effect.Effect<Page<VolumeFlag>, StoreError>
    /** In the same order. */
    readonly listOfUser: (
      userId: UserId,
      limit: number,
      after: ReadonlyArray<string | number> | undefined
    ) => Effect.Effect<Page<VolumeFlag>, StoreError>
  }
>() {}
