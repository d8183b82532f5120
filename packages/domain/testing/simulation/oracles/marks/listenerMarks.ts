import type { Run } from "../../Oracle.js"
import { isFiring } from "../support/deliveries/Firings.js"
import { type Listener, listenersOf } from "../support/deliveries/Listeners.js"
import { happened } from "../support/trace/Happened.js"
import { isRefusedAs } from "../support/trace/oracle.js"

/**
 * Marks about listeners. A mark is a rare situation that some run must reach. These marks follow from the trace alone.
 */

interface Mark {
  readonly name: string
  readonly isReached: (run: Run) => boolean
}

const some = (name: string, is: (listener: Listener, run: Run) => boolean): Mark => ({
  name,
  isReached: (run) => [...listenersOf(run).values()].some((listener) => is(listener, run))
})
const ended = (reason: string): Mark => some(`stream ended as ${reason}`, ({ end }) => end?.reason === reason)

const MARKS: ReadonlyArray<Mark> = [
  some("firing heard", ({ events }) => events.some(({ body }) => isFiring(body["type"]))),
  some("firing heard and sent to an endpoint", ({ events }, run) =>
    events.some(({ body }) => happened(run).posts.some((post) => post.body["event_id"] === body["event_id"]))
  ),
  some("event heard for an endpoint", ({ endpointId, events }) => endpointId !== null && events.length > 0),
  some("one event at two listeners", ({ events, listenerId }, run) =>
    happened(run).streamed.some(
      (other) =>
        other.listenerId !== listenerId && events.some(({ body }) => body["event_id"] === other.body["event_id"])
    )
  ),
  ended("left"),
  ended("signed_out"),
  ended("app_gone"),
  ended("endpoint_gone"),
  some("stream lost with its server", ({ end, over }) => end === undefined && over < Infinity),
  {
    name: "a sixth listener refused",
    isReached: (run) =>
      happened(run)
        .of("listen")
        .some(({ outcome }) => outcome !== null && isRefusedAs(outcome, "Conflict"))
  }
]

export const names: ReadonlyArray<string> = MARKS.map(({ name }) => name)

export const reached = (run: Run): ReadonlySet<string> =>
  new Set(MARKS.filter(({ isReached }) => isReached(run)).map(({ name }) => name))
