import { AppFigures, type Tally } from "@place-access/domain/figures"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import type { Cell } from "./CurrentRequest.js"

/** The answer to a request; `error` is the code of a refusal. */
interface Answer {
  readonly response: { readonly status: number }
  readonly error: string | null
}

/**
 * Reports each call with a known app (`Cell.appId`) to the recorder of app figures (decision figures-2). Without a
 * recorder, this function adds no step to a request. With a recorder, no request waits until its call is stored.
 */
export const counting =
  (recorder: Tally.FiguresRecorder | null) =>
  <A extends Answer, R>(cell: Cell, answering: Effect.Effect<A, never, R>): Effect.Effect<A, never, R> =>
    recorder === null
      ? answering
      : Effect.flatMap(answering, (answer) =>
          cell.appId === undefined
            ? Effect.succeed(answer)
            : Timestamp.nowWith((at) => {
                report(recorder, cell, answer, at)
                return Effect.succeed(answer)
              })
        )

const report = (recorder: Tally.FiguresRecorder, cell: Cell, { error, response }: Answer, at: Timestamp.Timestamp) => {
  if (cell.appId === undefined) return
  const call: AppFigures.LoggedCall = {
    appId: cell.appId,
    at,
    requestId: cell.id,
    endpoint: cell.route.label,
    status: response.status,
    error: cell.refusal ?? error
  }
  recorder.called(call, cell.caller === undefined ? null : rateUse(cell))
}

/**
 * The used percentage of the connection's rate limit; null when the answer has no rate limit headers. Call this
 * function only for a call with the access token of a connection. For all other calls the headers describe another
 * limit, such as the limit of a network address. When a second limit refuses the request, its headers are in
 * `exceeded`, not in `standing`, and do not change this percentage.
 */
const rateUse = ({ standing }: Cell): number | null => {
  const [limit, remaining] = [Number(standing["ratelimit-limit"]), Number(standing["ratelimit-remaining"])]
  return Number.isFinite(limit) && Number.isFinite(remaining) ? AppFigures.percentUsed(limit, remaining) : null
}
