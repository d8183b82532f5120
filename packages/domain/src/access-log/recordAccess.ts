import { LimitStore, Rate, Subject, takeCall } from "../limits/index.js"
import { Option } from "effect"
import { AccessLogEntryId, type ConnectionId, Entropy, program, Timestamp, Vault } from "../shared/index.js"
import type { AccessLogEntry } from "./AccessLogEntry.js"
import { AccessLogStore } from "./AccessLogStore.js"

/** One request of an app or of its developer, and the answer that the app or the developer will get. */
export type Access = Pick<AccessLogEntry, "endpoint" | "purpose" | "status" | "error" | "disclosed"> & {
  /**
   * The user, app and connection that the request is about. For a token that has stopped working, they are in
   * `InvalidToken.known`.
   */
  readonly owner: Pick<AccessLogEntry, "userId" | "appId" | "connectionId">
  /** For a call with a token that has stopped working: the result of `countDeadCall`. Left out for other calls. */
  readonly repeat?: Repeat | undefined
}

/**
 * Commits the entry of a request before the answer leaves (Spec §1.7). When this program fails, the caller must
 * withhold the answer.
 */
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

/**
 * The id, time and count of one entry that stands for several calls: the calls of one connection to one route, within
 * an hour, with dead tokens. A dead token was issued by the service, but has stopped working.
 */
export type Repeat = Pick<AccessLogEntry, "id" | "at" | "times">

/**
 * Counts a call with a dead token, that is, a token that was issued but has stopped working (decision limits-10). The
 * call counts against the rate limit of its connection, like every other call. It also counts for the access log: all
 * calls with dead tokens to one route, within an hour, share one entry. Returns the id, time and count of this entry.
 * Returns none when the connection is over its rate limit. Then the caller must not write the entry. The next call that
 * may write this entry writes a count that includes this call.
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
