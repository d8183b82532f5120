import { Invalid, type Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"

interface Span {
  readonly from?: Timestamp.Timestamp | undefined
  readonly to?: Timestamp.Timestamp | undefined
}

/** Refuses a list from `from` to `to` when no instant is between them (decision M11). Either time may be left out. */
export const check = ({ from, to }: Span): Effect.Effect<void, Invalid> =>
  from !== undefined && to !== undefined && to <= from
    ? Effect.fail(Invalid.of("to", "must be after from"))
    : Effect.void
