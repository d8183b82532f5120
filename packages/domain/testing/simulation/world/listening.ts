import { Deferred, Effect, Stream } from "effect"
import * as Process from "../engine/Process.js"
import type { Registry, StreamMessage } from "./Registry.js"

/**
 * The longest time, in milliseconds, for which a developer reads an event stream. The limit is needed because a guided
 * search may set the planned time, `forMs`, to days.
 */
const LONGEST_MILLIS = 600_000

type Ready = Extract<StreamMessage, { readonly _tag: "Ready" }>

/**
 * Reads the stream of a listener in a fiber of the server's process, and records the messages in the trace. Returns the
 * id and the secret from the first message. The reader leaves when its Deferred in `readers` is completed, and at the
 * latest after `forMs` or ten minutes. An open stream wakes the server every second, so a reader that stayed for a
 * simulated week would make the run take minutes.
 */
export const read = <E, R>(
  { hear, readers, secrets }: Registry,
  forMs: number,
  messages: Stream.Stream<StreamMessage, E, R>
): Effect.Effect<{ readonly listenerId: string; readonly secret: string | null }, never, R> =>
  Effect.gen(function* () {
    const [ready, left] = [yield* Deferred.make<Ready>(), yield* Deferred.make<void>()]
    const take = (message: StreamMessage) =>
      Effect.gen(function* () {
        if (message._tag !== "Ready") return yield* hear((yield* Deferred.await(ready)).listenerId, message)
        readers.set(message.listenerId, left)
        yield* Deferred.succeed(ready, message)
      })
    const reading = Effect.exit(Stream.runForEach(messages, take))
    const leaving = Effect.gen(function* () {
      const { listenerId } = yield* Deferred.await(ready)
      yield* Effect.raceFirst(Deferred.await(left), Effect.sleep(Math.min(forMs, LONGEST_MILLIS)))
      yield* hear(listenerId, null)
    })
    const over = Effect.flatMap(Deferred.await(ready), ({ listenerId }) =>
      Effect.sync(() => void readers.delete(listenerId))
    )
    yield* Effect.forkDaemon(
      Effect.zipRight(Effect.raceFirst(reading, leaving), over).pipe(Effect.locally(Process.operation, null))
    )
    const { listenerId, secret } = yield* Deferred.await(ready)
    return { listenerId, secret: secret === null ? null : secrets.alias("signing-secret", secret) }
  })

/** Makes the reader of a stream leave. Does nothing when the stream has already ended. */
export const leave = ({ readers }: Registry, listenerId: string): Effect.Effect<null> =>
  Effect.suspend(() => {
    const left = readers.get(listenerId)
    return left === undefined ? Effect.succeed(null) : Effect.as(Deferred.succeed(left, undefined), null)
  })
