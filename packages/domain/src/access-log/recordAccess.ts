import { type AccessLogEntryId, Entropy, program, Timestamp } from "../shared/index.js"
import type { AccessLogEntry } from "./AccessLogEntry.js"
import { AccessLogStore } from "./AccessLogStore.js"

/** One request of an app, and the answer that it will get. */
export type Access = Pick<AccessLogEntry, "endpoint" | "purpose" | "status" | "error" | "disclosed"> & {
  /** The user, app and connection of the request's token: a live connection, or `InvalidToken.known`. */
  readonly owner: Pick<AccessLogEntry, "userId" | "appId" | "connectionId">
}

/** Commits one entry for a request before the answer leaves (Spec §1.7). If this fails, nothing is answered. */
export const recordAccess = program("recordAccess", function* (access: Access) {
  const { disclosed, endpoint, error, owner, purpose, status } = access
  const { appId, connectionId, userId } = owner
  const id = (yield* Entropy.id("log")) as AccessLogEntryId
  const at = yield* Timestamp.now
  yield* (yield* AccessLogStore).record({
    userId,
    appId,
    connectionId,
    endpoint,
    purpose,
    status,
    error,
    disclosed,
    id,
    at
  })
})
