import type { Run } from "../../../Oracle.js"
import { type CompletedCall, happened, type StreamedEvent, type StreamNotice } from "../trace/Happened.js"

/** The listeners to apps' events, and the messages that each listener got. */

export interface Listener {
  readonly listenerId: string
  readonly appId: string
  readonly endpointId: string | null
  readonly opened: CompletedCall<"listen">
  /** The listener's own secret; null when the secrets of an endpoint sign its events. */
  readonly secret: string | null
  readonly events: ReadonlyArray<StreamedEvent>
  readonly dropped: number
  /**
   * The end of the stream as the reader saw the end. Undefined when the trace has no end, for example because the
   * server died first.
   */
  readonly end: (StreamNotice & { readonly reason: string }) | undefined
  /**
   * The number (`i`) of the trace entry at which the reader stopped reading, because the stream ended or the server
   * died. Infinity when the reader did not stop.
   */
  readonly over: number
}

const known = new WeakMap<Run, ReadonlyMap<string, Listener>>()

export const listenersOf = (run: Run): ReadonlyMap<string, Listener> => {
  const found = known.get(run) ?? read(run)
  known.set(run, found)
  return found
}

const read = (run: Run): ReadonlyMap<string, Listener> => {
  const { faults, of, streamed, streamNotices } = happened(run)
  const found = new Map<string, Listener>()
  for (const opened of of("listen")) {
    if (opened.outcome?._tag !== "ok") continue
    const { listenerId, secret } = opened.outcome.value
    const others = streamNotices.filter((one) => one.listenerId === listenerId)
    const ends = others.flatMap((one) => (one.message._tag === "End" ? [{ ...one, reason: one.message.reason }] : []))
    const death = faults.find(
      ({ fault, i, detail, proc }) =>
        i > opened.begin && fault === "crash" && (proc === "world" ? detail === "server" : proc.startsWith("server"))
    )
    found.set(listenerId, {
      listenerId,
      appId: opened.args.appId,
      endpointId: opened.args.endpointId,
      opened,
      secret,
      events: streamed.filter((one) => one.listenerId === listenerId),
      dropped: others.reduce((sum, { message }) => sum + (message._tag === "Dropped" ? message.count : 0), 0),
      end: ends[0],
      over: Math.min(ends[0]?.i ?? Infinity, death?.i ?? Infinity)
    })
  }
  return found
}
