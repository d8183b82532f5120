import type { AppId, AccessLogEntryId, ConnectionId, UserId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"

/**
 * One request of an app, or one firing of its rules, as its user reads it (Spec §1.7). Written before the answer or the event leaves; kept when the connection ends
 * (decision P3). Never a coordinate.
 */
export interface AccessLogEntry {
  readonly userId: UserId
  readonly id: AccessLogEntryId
  readonly at: Timestamp
  readonly appId: AppId
  readonly connectionId: ConnectionId
  /** Method and route, such as `GET /v1/me`, path parameters by name; or an event, such as `webhook place.enter`. */
  readonly endpoint: string
  /** The purpose's key as sent, when it is one of the app's; else null. */
  readonly purpose: string | null
  /** HTTP status of the answer. */
  readonly status: number
  /** The error code of a refused request, or why an event was not sent; null when it was answered or sent. */
  readonly error: string | null
  /** What was disclosed, in words for the user; of an event that was not sent, what it would have been. Else null. */
  readonly disclosed: string | null
}
