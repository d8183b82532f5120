import { LimitStore, Rate, Subject, takeCall } from "../limits/index.js"
import { Option } from "effect"
import { AccessLogEntryId, type ConnectionId, Entropy, program, Timestamp, Vault } from "../shared/index.js"
import type { AccessLogEntry } from "./AccessLogEntry.js"
import { AccessLogStore } from "./AccessLogStore.js"

/** One request of an app, and the answer that it will get. */
export type Access = Pick<AccessLogEntry, "endpoint" | "purpose" | "status" | "error" | "disclosed"> & {
  /** The user, app and connection of the request's token: a live connection, or `InvalidToken.known`. */
  readonly owner: Pick<AccessLogEntry, "userId" | "appId" | "connectionId">
  /** Present when the call repeats another one and shares its entry. */
  readonly repeat?: Repeat | undefined
}

/** Commits one entry for a request before the answer leaves (Spec §1.7). If this fails, nothing is answered. */
export const recordAccess = program("recordAccess", function* (access: Access) {
  const { disclosed, endpoint, error, owner, purpose, repeat, status } = access
  const { appId, connectionId, userId } = owner
  const log = yield* AccessLogStore
  const once: Repeat = repeat ?? {
    id: (yield* Entropy.id("log")) as AccessLogEntryId,
    at: yield* Timestamp.now,
    times: 1
  }
  const store = repeat === undefined ? log.record : log.recordRepeat
  yield* store({
    userId,
    appId,
    connectionId,
    endpoint,
    purpose,
    status,
    error,
    disclosed,
    ...once
  })
})

/** The entry that a repeated call belongs to. */
export type Repeat = Pick<AccessLogEntry, "id" | "at" | "times">

/**
 * Counts a call with a token that no longer works: for its connection, like every other call, and for the entry that
 * all such calls of a route share within an hour (decision limits-10). None beyond the connection's rate: nothing
 * is written then, and the next call that is written has the count of all.
 */
export const countDeadCall = program(
  "countDeadCall",
  function* (connectionId: ConnectionId, endpoint: string, rate: Rate.Rate) {
    const standing = yield* takeCall(Subject.connection(connectionId), rate)
    const subject = Subject.dead(connectionId, endpoint)
    const { windowMillis } = Rate.DEAD
    const { endsAt, used } = yield* (yield* LimitStore).count(subject, windowMillis, yield* Timestamp.now)
    const at = Timestamp.make(endsAt - windowMillis)
    const digest = (yield* Vault.Vault).sha256(`${subject} ${at}`)
    const repeat: Repeat = { id: AccessLogEntryId.make(`log_${digest.slice(0, 32)}`), at, times: used }
    return standing.isAdmitted ? Option.some(repeat) : Option.none()
  }
)
