import type { ArrivedUpload, IngestOutcome } from "@place-access/domain/fixes"
import { StoreError, type UserId } from "@place-access/domain/shared"
import { type Array as Arr, Cause, Context, Effect, Layer, Option } from "effect"
import * as Admission from "../edge/Admission.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import { type RequestTimers, Timers } from "../edge/Timers.js"
import { Turns } from "../edge/Turns.js"

/**
 * Uploads of one person take turns in this process (decision fixes-9). An upload can commit only if no other upload of
 * the person was committed after it had read the person's data. Otherwise the upload starts again. So without turns,
 * when twenty uploads run at the same time, one commits, and nineteen read and evaluate again.
 *
 * The upload whose turn it is also stores uploads that wait behind it, in the same commit (decision fixes-10). Each of
 * these uploads then has its outcome when its own turn comes.
 *
 * Turns save work, and correctness does not depend on them: another process may commit an upload of the same person at
 * any time, and `ingestTogether` then repeats its work.
 */

/** At most this number of uploads of one person wait. A further upload is refused, and its phone sends it again. */
const WAITING_MAX = 512
/**
 * How long an upload waits for its turn. Phones wait half a minute for an answer, some of them only fifteen seconds.
 */
const WAIT_MILLIS = 10_000

/**
 * Stores the first upload, and perhaps some of the uploads after it, in the order of the list. Returns the outcomes of
 * the stored uploads (`ingestTogether`).
 */
export type Store<E, R> = (
  uploads: Arr.NonEmptyReadonlyArray<ArrivedUpload>
) => Effect.Effect<Arr.NonEmptyReadonlyArray<IngestOutcome>, E, R>

export class UploadTurns extends Context.Tag("@place-access/adapters-http/fixes/UploadTurns")<
  UploadTurns,
  {
    /**
     * Stores `upload` with `store`, when no other upload of the person runs in this process. Fails with a transient
     * `StoreError` when too many uploads of the person wait, or when the upload has waited too long.
     *
     * When `store` fails for several uploads together, each of them is stored alone, because perhaps only one of them
     * causes the failure. When the failure is transient, `upload` is not tried again here, because the store would
     * probably fail again: `upload` fails, and its phone sends it again.
     */
    readonly within: <E, R>(
      userId: UserId,
      upload: ArrivedUpload,
      store: Store<E, R>
    ) => Effect.Effect<IngestOutcome, E | StoreError, R>
  }
>() {}

/** Build this layer once for each process: two instances would let uploads of one person overlap. */
export const layer: Layer.Layer<UploadTurns> = Layer.effect(
  UploadTurns,
  Effect.map(Timers, (timers) => make(timers))
)

/** An upload that is running, or that waits for its turn. */
interface Waiting {
  readonly upload: ArrivedUpload
  /** Undefined until the upload is stored. */
  outcome: IngestOutcome | undefined
  /** True after this upload could not be stored together with others: it is then stored alone. */
  isAlone: boolean
}

/** The uploads of one person. */
interface Person {
  readonly turns: Turns
  /**
   * The upload that runs, and the uploads that wait, in the order in which they came. They get their turns in the same
   * order.
   */
  readonly waiting: Set<Waiting>
}

const make = (timers: RequestTimers): typeof UploadTurns.Service => {
  // There is an entry for a person only while one of their uploads runs or waits.
  const people = new Map<UserId, Person>()
  const personOf = (userId: UserId): Person => {
    const known = people.get(userId)
    if (known !== undefined) return known
    const turns = new Turns({ atOnce: 1, waitingMax: WAITING_MAX, waitMillis: WAIT_MILLIS }, timers)
    const person: Person = { turns, waiting: new Set() }
    people.set(userId, person)
    return person
  }
  return {
    within: <E, R>(userId: UserId, upload: ArrivedUpload, store: Store<E, R>) =>
      Effect.uninterruptibleMask((restore) =>
        CurrentRequest.cellWith(({ place }) => {
          const { turns, waiting } = personOf(userId)
          const own: Waiting = { upload, outcome: undefined, isAlone: false }
          waiting.add(own)
          const leave = Effect.sync(() => waiting.delete(own))
          const end = Effect.sync(() => {
            turns.release()
            if (!turns.isUsed) people.delete(userId)
          })
          const take = turns.isFull ? Admission.aside(place, turns.take) : turns.take
          const stored = Effect.flatMap(take, (hasTurn) =>
            hasTurn
              ? Effect.ensuring(restore(storeNext(own, waiting, store)), end)
              : (TOO_MANY as Effect.Effect<IngestOutcome, E | StoreError, R>)
          )
          return Effect.ensuring(stored, leave)
        })
      )
  }
}

/**
 * Stores `own`, the upload whose turn it is, together with waiting uploads that need not be stored alone. When an
 * earlier turn has stored `own` already, only returns its outcome.
 */
const storeNext = <E, R>(
  own: Waiting,
  waiting: ReadonlySet<Waiting>,
  store: Store<E, R>
): Effect.Effect<IngestOutcome, E, R> =>
  Effect.suspend(() => {
    if (own.outcome !== undefined) return Effect.succeed(own.outcome)
    const others = own.isAlone ? [] : [...waiting].filter((one) => one !== own && isOpen(one))
    if (others.length === 0) return storeAll([own], store)
    return Effect.catchAllCause(storeAll([own, ...others], store), (cause) => {
      if (Cause.isInterrupted(cause)) return Effect.failCause(cause)
      for (const one of others) one.isAlone = true
      return isTransient(cause) ? Effect.failCause(cause) : storeAll([own], store)
    })
  })

const isTransient = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(Cause.failureOption(cause), (error) => error instanceof StoreError && error.transient)

const isOpen = ({ isAlone, outcome }: Waiting): boolean => outcome === undefined && !isAlone

const storeAll = <E, R>(
  [own, ...others]: Arr.NonEmptyReadonlyArray<Waiting>,
  store: Store<E, R>
): Effect.Effect<IngestOutcome, E, R> =>
  Effect.map(store([own.upload, ...others.map(({ upload }) => upload)]), ([outcome, ...further]) => {
    for (const [index, one] of others.entries()) one.outcome = further[index]
    return outcome
  })

const TOO_MANY = Effect.fail(
  StoreError.unavailable("An upload waited too long for the uploads of the same user, or too many wait")
)
