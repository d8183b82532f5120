import { Invalid, type Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"

interface Span {
  readonly from?: Timestamp.Timestamp | undefined
  readonly to?: Timestamp.Timestamp | undefined
}

/**
 * Fails when `to` is not after `from`, because no instant could be in such a span (decision M11). A caller may leave
 * either time out.
 */
export const check = ({ from, to }: Span): Effect.Effect<void, Invalid> =>
  from !== undefined && to !== undefined && to <= from
    ? Effect.fail(Invalid.of("to", "must be after from"))
    : Effect.void
