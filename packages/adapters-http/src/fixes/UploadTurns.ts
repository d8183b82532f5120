import type { Device } from "@place-access/domain/devices"
import { StoreError, type UserId } from "@place-access/domain/shared"
import { Context, Effect, Layer } from "effect"
import * as Admission from "../edge/Admission.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import { type RequestTimers, Timers } from "../edge/Timers.js"
import { Turns } from "../edge/Turns.js"

/**
 * Uploads of one person take turns in this process (decision fixes-9). An upload can commit only if no other upload of
 * the person was committed after it had read the person's data. Otherwise the upload starts again. So without turns,
 * when twenty uploads run at once, one commits, and nineteen read and evaluate again.
 *
 * Turns save work, and correctness does not depend on them: another process may commit an upload of the same person at
 * any time, and `ingestFixes` then repeats its work.
 */

/** The most uploads of one person that wait. A further upload is refused, and its phone sends it again. */
const WAITING_MAX = 512
/**
 * How long an upload waits for its turn. Phones wait half a minute for an answer, some of them only fifteen seconds.
 */
const WAIT_MILLIS = 10_000

export class UploadTurns extends Context.Tag("@place-access/adapters-http/fixes/UploadTurns")<
  UploadTurns,
  {
    /**
     * Runs `upload` when no other upload of the person runs in this process. Fails with a transient `StoreError` when
     * the upload would wait too long.
     */
    readonly within: <A, E, R>(
      device: Pick<Device.Device, "userId">,
      upload: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | StoreError, R>
  }
>() {}

/** Build this layer once for each process: two instances would let two uploads of one person run at once. */
export const layer: Layer.Layer<UploadTurns> = Layer.effect(
  UploadTurns,
  Effect.map(Timers, (timers) => make(timers))
)

const make = (timers: RequestTimers): typeof UploadTurns.Service => {
  // The turns by person. There is an entry for a person only while one of their uploads runs or waits.
  const people = new Map<UserId, Turns>()
  const turnsOf = (userId: UserId): Turns => {
    const known = people.get(userId)
    if (known !== undefined) return known
    const turns = new Turns({ atOnce: 1, waitingMax: WAITING_MAX, waitMillis: WAIT_MILLIS }, timers)
    people.set(userId, turns)
    return turns
  }
  return {
    within: <A, E, R>({ userId }: Pick<Device.Device, "userId">, upload: Effect.Effect<A, E, R>) =>
      Effect.uninterruptibleMask((restore) =>
        CurrentRequest.cellWith(({ place }) => {
          const turns = turnsOf(userId)
          const end = Effect.sync(() => {
            turns.release()
            if (!turns.isUsed) people.delete(userId)
          })
          return Effect.flatMap(turns.isFull ? Admission.aside(place, turns.take) : turns.take, (hasTurn) =>
            hasTurn ? Effect.ensuring(restore(upload), end) : (TOO_MANY as Effect.Effect<A, E | StoreError, R>)
          )
        })
      )
  }
}

const TOO_MANY = Effect.fail(StoreError.unavailable("Too many uploads of one user at once"))
