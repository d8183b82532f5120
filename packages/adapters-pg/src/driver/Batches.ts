import { StoreError } from "@place-access/domain/shared"
import { Clock, Effect, type Scope } from "effect"

interface Waiting<Item, Answer> {
  readonly item: Item
  readonly answer: (answer: Effect.Effect<Answer, StoreError>) => void
}

/** The host's clock: connections run in real time, even when the program runs on another clock. */
const hostClock = Clock.make()

/** The largest batch. Hardly ever are more requests in flight. */
const MAX = 500

/**
 * Collects items into batches: items that arrive while one statement is in flight go together into the next statement,
 * so they share one commit. `write` answers the items in order, after the commit. When the database refuses a batch,
 * each item is written alone, so only the faulty item fails. A caller that stops waiting cancels no other item.
 *
 * `restMillis`: for items whose callers are not in a hurry. After a statement the next one waits for as long as the
 * statement took, at most `restMillis`, so that more items share it.
 */
export const make = <Item, Answer>(
  write: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Answer>, StoreError>,
  restMillis = 0
): Effect.Effect<(item: Item) => Effect.Effect<Answer, StoreError>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = (batch: ReadonlyArray<Waiting<Item, Answer>>): Effect.Effect<void> =>
      Effect.matchCauseEffect(write(batch.map(({ item }) => item)), {
        onSuccess: (answers) =>
          Effect.sync(() => {
            for (const [index, { answer }] of batch.entries()) {
              const own = answers[index]
              answer(own === undefined ? Effect.dieMessage("left out of the answers") : Effect.succeed(own))
            }
          }),
        onFailure: (cause) =>
          batch.length > 1 && cause._tag === "Fail" && !cause.error.transient
            ? Effect.forEach(batch, (one) => run([one]), { discard: true })
            : Effect.sync(() => {
                for (const { answer } of batch) answer(Effect.failCause(cause))
              })
      })

    const waiting: Array<Waiting<Item, Answer>> = []
    let isClosed = false
    let wake = (): void => undefined
    const somebodyWaits = Effect.async<void>((resume) => {
      if (waiting.length > 0) resume(Effect.void)
      else wake = () => resume(Effect.void)
    })
    const closed = StoreError.unavailable("the store was closed")

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        for (const { answer } of waiting.splice(0)) answer(Effect.fail(closed))
      })
    )
    const turn = Effect.uninterruptible(Effect.suspend(() => run(waiting.splice(0, MAX))))
    const thenRest = Effect.suspend(() => {
      const startedAt = hostClock.unsafeCurrentTimeMillis()
      const took = () => hostClock.unsafeCurrentTimeMillis() - startedAt
      return Effect.zipRight(
        turn,
        Effect.suspend(() => Effect.withClock(Effect.sleep(Math.min(took(), restMillis)), hostClock))
      )
    })
    yield* somebodyWaits.pipe(Effect.zipRight(restMillis === 0 ? turn : thenRest), Effect.forever, Effect.forkScoped)

    return (item) =>
      Effect.async((resume) => {
        if (isClosed) return resume(Effect.fail(closed))
        waiting.push({ item, answer: resume })
        wake()
      })
  })
