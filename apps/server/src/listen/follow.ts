import { CannotStart } from "@place-access/worker"
import { Clock, Console, Effect, Stream } from "effect"
import type { EventMessage, ListenMessage, Ready } from "./Messages.js"
import { Lost, type StreamRefused, SIGNED_OUT } from "./Service.js"
import * as words from "./words.js"

const FIRST_WAIT_MILLIS = 1_000
const LONGEST_WAIT_MILLIS = 30_000
/**
 * A server that is killed cannot remove the listeners of its connections. Such a listener counts towards the app's
 * limit until this number of heartbeats is missing (decision listeners-3).
 */
const HEARTBEATS = 3

/** Prints a line with the present time. */
export const say = (line: string) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Console.log(`${words.at(now)} ${line}`))

interface Following<R> {
  /** The text to print when the first connection is open. */
  readonly begun: (ready: typeof Ready.Type) => string
  /** Handles an event. The next message waits for this effect. */
  readonly pass: (event: typeof EventMessage.Type) => Effect.Effect<void, never, R>
}

/**
 * Reads the stream of `events`, prints what happens to it, and opens it again when it is lost. Fails when a new
 * connection cannot help.
 */
export const follow = <R>(
  events: Stream.Stream<ListenMessage, CannotStart | Lost | StreamRefused>,
  { begun, pass }: Following<R>
): Effect.Effect<never, CannotStart, R> =>
  Effect.suspend(() => {
    let shown: typeof Ready.Type | undefined
    let isOpen = false
    let countsUntil = 0
    let waitMillis = FIRST_WAIT_MILLIS

    const hearReady = (ready: typeof Ready.Type) => {
      const before = shown
      shown = ready
      isOpen = true
      waitMillis = FIRST_WAIT_MILLIS
      if (before === undefined) return Console.log(begun(ready))
      return say(words.listeningAgain(ready.secret === before.secret ? null : ready.secret))
    }

    const hear = (message: ListenMessage): Effect.Effect<void, CannotStart | Lost, R> => {
      switch (message._tag) {
        case "Ready":
          return hearReady(message.data)
        case "Event":
          return pass(message.data)
        case "Dropped":
          return say(words.dropped(message.data.count))
        case "End":
          return ended(message.data.reason)
      }
    }

    const waited = ({ why }: Lost | StreamRefused) =>
      Effect.suspend(() => {
        const millis = waitMillis
        waitMillis = Math.min(2 * waitMillis, LONGEST_WAIT_MILLIS)
        return Effect.zipRight(say(words.lost(why, millis)), Effect.sleep(millis))
      })

    const lost = (error: Lost) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (isOpen && shown !== undefined) countsUntil = now + HEARTBEATS * shown.heartbeat_s * 1_000
        isOpen = false
        return waited(error)
      })

    const refused = (error: StreamRefused) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        now < countsUntil ? waited(error) : new CannotStart({ message: `The service says: ${error.why}.` })
      )

    return Stream.runForEach(events, hear).pipe(
      Effect.catchTags({ Lost: lost, StreamRefused: refused }),
      Effect.forever
    )
  })

/** Fails with the reason why the stream ended: with `Lost` when a new connection may help, else with `CannotStart`. */
const ended = (reason: string): Effect.Effect<never, CannotStart | Lost> => {
  switch (reason) {
    case "signed_out":
      return new CannotStart({ message: SIGNED_OUT })
    case "app_gone":
      return new CannotStart({
        message: "The app was revoked or deleted, or you may no longer develop it. So no more events come."
      })
    case "endpoint_gone":
      return new CannotStart({ message: "The endpoint was removed." })
    case "stopping":
      return new Lost({ why: "the service is being restarted" })
    default:
      return new Lost({ why: "the service has ended the stream" })
  }
}
