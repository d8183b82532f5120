// An entry of a user's access log. Decisions access-log-1 and access-log-3.
import type { AccessLogEntryId, AppId, ConnectionId, Timestamp, UserId } from "../shared/index.js"

/**
 * One request of an app, or one firing of its rules, for its user to read (Spec §1.7). It is written before the answer
 * or the event leaves, and kept when the connection ends (decision P3). It never has a coordinate.
 */
export interface AccessLogEntry {
  readonly userId: UserId
  readonly id: AccessLogEntryId
  readonly at: Timestamp.Timestamp
  readonly appId: AppId
  readonly connectionId: ConnectionId
  /** Method and route, such as `GET /v1/me`, with parameters by name; or an event, such as `webhook place.enter`. */
  readonly endpoint: string
  /** The purpose's key as the app sent it; null when the app has no such purpose. */
  readonly purpose: string | null
  /** The HTTP status of the answer. */
  readonly status: number
  /** The error code of a refused request, or why an event was not sent; null after an answer or a sent event. */
  readonly error: string | null
  /** What the app learned, in words for the user. For an event that was not sent: what it would have disclosed. */
  readonly disclosed: string | null
  /**
   * How often the request came since `at`. More than 1 only for calls with a token that no longer works: one entry has
   * all such calls of an hour (decision limits-10).
   */
  readonly times: number
}
