import { StoreError } from "@place-access/domain/shared"
import { Clock, Effect, Runtime, type Scope } from "effect"
import * as Activity from "./Activity.js"
import { isInTransaction } from "./Client.js"

interface Waiting<Item, Answer> {
  readonly item: Item
  readonly answer: (answer: Effect.Effect<Answer, StoreError>) => void
}

/** The clock of this machine. Connections run in real time, even when the program's `Clock` is a simulated one. */
const hostClock = Clock.make()

/** The most items of one batch. A process hardly ever has more than this number of requests in flight. */
const MAX = 500

/**
 * Collects items into batches: items that arrive while one statement is in flight go together into the next statement,
 * so they share one commit. `write` answers the items in order, after the commit. When the database refuses a batch,
 * each item is written alone, so that only the faulty item fails. After a transient error all items of the batch fail,
 * and their callers may retry. A caller that stops waiting cancels no other item.
 *
 * An item from inside a transaction goes into no batch: `write` gets it alone, on the connection of the transaction. A
 * batch would need another connection. When all connections of the pool were in such transactions, each would wait for
 * a connection that only the others can free; the embedded database has only one session.
 *
 * `pauseMillis`: after each statement, the batches pause for as long as the statement took, but at most for this time,
 * so that more items share the next statement. 0: no pause. Only callers that are not in a hurry set `pauseMillis`.
 */
export const make = <Item, Answer>(
  write: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Answer>, StoreError>,
  pauseMillis = 0
) => makeBy(() => "", write, pauseMillis)

const answerOf = <Answer>(answers: ReadonlyArray<Answer>, index: number): Effect.Effect<Answer> => {
  const own = answers[index]
  return own === undefined ? Effect.dieMessage("left out of the answers") : Effect.succeed(own)
}

/** Writes a batch and answers each of its items. */
const answering = <Item, Answer>(
  write: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Answer>, StoreError>
) => {
  const run = (batch: ReadonlyArray<Waiting<Item, Answer>>): Effect.Effect<void> =>
    Effect.matchCauseEffect(write(batch.map(({ item }) => item)), {
      onSuccess: (answers) =>
        Effect.sync(() => {
          for (const [index, { answer }] of batch.entries()) answer(answerOf(answers, index))
        }),
      onFailure: (cause) =>
        batch.length > 1 && cause._tag === "Fail" && !cause.error.transient
          ? Effect.forEach(batch, (one) => run([one]), { discard: true })
          : Effect.sync(() => {
              for (const { answer } of batch) answer(Effect.failCause(cause))
            })
    })
  return run
}

/**
 * Collects items into batches (`make`), with separate batches for each key: a slow statement for one key delays no item
 * of another key.
 */
export const makeBy = <Item, Answer>(
  keyOf: (item: Item) => string,
  write: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Answer>, StoreError>,
  pauseMillis = 0
): Effect.Effect<(item: Item) => Effect.Effect<Answer, StoreError>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = answering(write)
    // A key is in this map while its loop runs. The loop ends when no item waits, so an unused key takes no memory.
    const queues = new Map<string, Array<Waiting<Item, Answer>>>()
    let isClosed = false
    const closed = StoreError.unavailable("the store was closed")
    const scope = yield* Effect.scope
    const fork = Runtime.runFork(yield* Effect.runtime<never>())
    const forget = Activity.watch(() => queues.size > 0)

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        forget()
        for (const waiting of queues.values()) {
          for (const { answer } of waiting.splice(0)) answer(Effect.fail(closed))
        }
      })
    )
    const turn = (waiting: Array<Waiting<Item, Answer>>) => {
      const startedAt = hostClock.unsafeCurrentTimeMillis()
      const pause = () => Math.min(hostClock.unsafeCurrentTimeMillis() - startedAt, pauseMillis)
      return Effect.zipRight(
        Effect.uninterruptible(Effect.suspend(() => run(waiting.splice(0, MAX)))),
        pauseMillis === 0 ? Effect.void : Effect.suspend(() => Effect.withClock(Effect.sleep(pause()), hostClock))
      )
    }
    const loop = (key: string, waiting: Array<Waiting<Item, Answer>>): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (waiting.length > 0) return Effect.flatMap(turn(waiting), () => loop(key, waiting))
        queues.delete(key)
        return Effect.void
      })

    const shared = (item: Item): Effect.Effect<Answer, StoreError> =>
      Effect.async((resume) => {
        if (isClosed) return resume(Effect.fail(closed))
        const key = keyOf(item)
        const queue = queues.get(key)
        const waiting = queue ?? []
        waiting.push({ item, answer: resume })
        if (queue !== undefined) return
        queues.set(key, waiting)
        // The loop does not start immediately, so that items that arrive at the same moment share a statement.
        fork(loop(key, waiting), { scope, immediate: false })
      })
    const alone = (item: Item) => Effect.flatMap(write([item]), (answers) => answerOf(answers, 0))
    return (item) => Effect.flatMap(isInTransaction, (is) => (is ? alone(item) : shared(item)))
  })
