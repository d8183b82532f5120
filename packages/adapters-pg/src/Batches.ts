import { StoreError } from "@place-access/domain/shared"
import { Chunk, Deferred, Effect, Queue, type Scope } from "effect"

interface Waiting<Item, Answer> {
  readonly item: Item
  readonly answer: Deferred.Deferred<Answer, StoreError>
}

/** More requests than this are hardly in flight at once. */
const MAX = 500

/**
 * Items that arrive while one statement is under way go together in the next: a commit is paid for once by all of them. `write`
 * answers each in order, once they are committed. An item that the database refuses for what is in it fails alone; whoever stops
 * waiting takes nobody with them.
 */
export const make = <Item, Answer>(
  write: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Answer>, StoreError>
): Effect.Effect<(item: Item) => Effect.Effect<Answer, StoreError>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = (batch: ReadonlyArray<Waiting<Item, Answer>>): Effect.Effect<void> =>
      Effect.matchCauseEffect(write(batch.map(({ item }) => item)), {
        onSuccess: (answers) =>
          Effect.forEach(
            batch,
            ({ answer }, index) => {
              const own = answers[index]
              return own === undefined ? Deferred.die(answer, "left out of the answers") : Deferred.succeed(answer, own)
            },
            { discard: true }
          ),
        onFailure: (cause) =>
          batch.length > 1 && cause._tag === "Fail" && !cause.error.transient
            ? Effect.forEach(batch, (one) => run([one]), { discard: true })
            : Effect.forEach(batch, ({ answer }) => Deferred.failCause(answer, cause), { discard: true })
      })

    const queue = yield* Effect.acquireRelease(Queue.unbounded<Waiting<Item, Answer>>(), (queue) =>
      Effect.gen(function* () {
        const left = yield* Queue.takeAll(queue)
        const closed = StoreError.unavailable("the store was closed")
        yield* Effect.forEach(left, ({ answer }) => Deferred.fail(answer, closed), { discard: true })
        yield* Queue.shutdown(queue)
      })
    )
    yield* Queue.takeBetween(queue, 1, MAX).pipe(
      Effect.flatMap((batch) => Effect.uninterruptible(run(Chunk.toReadonlyArray(batch)))),
      Effect.forever,
      Effect.forkScoped
    )

    return (item) =>
      Effect.gen(function* () {
        const answer = yield* Deferred.make<Answer, StoreError>()
        yield* Queue.offer(queue, { item, answer })
        return yield* Deferred.await(answer)
      })
  })
