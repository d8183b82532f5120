// An entry of a user's access log. Decisions access-log-1 and access-log-3.
import type { AccessLogEntryId, AppId, ConnectionId, Timestamp, UserId } from "../shared/index.js"

/** The `endpoint` of an entry about an event is this and the type of the event. */
export const EVENT_PREFIX = "webhook "

/**
 * One request of an app, or one firing of its rules, for the user to read (Spec §1.7). The service stores the entry
 * before the answer or the event leaves, and keeps it when the connection ends (decision P3). An entry has no
 * coordinate.
 */
export interface AccessLogEntry {
  readonly userId: UserId
  readonly id: AccessLogEntryId
  readonly at: Timestamp.Timestamp
  readonly appId: AppId
  readonly connectionId: ConnectionId
  /** Method and route, such as `GET /v1/me`, with parameters by name; or an event, such as `webhook place.enter`. */
  readonly endpoint: string
  /** The purpose's key as the app sent it; null when the app sent no key, or a key that names none of its purposes. */
  readonly purpose: string | null
  /** The HTTP status of the answer. Of an event: 200 sent, 403 not permitted, 404 without a receiver, 410 too old. */
  readonly status: number
  /** The error code of a refused request, or why an event was not sent; null after an answer or a sent event. */
  readonly error: string | null
  /**
   * What the app learned, in words for the user; null for a refused request. For an event that was not sent: what the
   * event would have disclosed.
   */
  readonly disclosed: string | null
  /**
   * How many requests the entry stands for. More than 1 only for calls with a token that no longer works: all such
   * calls of one connection to one route, within an hour from `at`, share an entry (decision limits-10).
   */
  readonly times: number
}
