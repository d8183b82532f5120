// An entry of a user's access log. Decisions access-log-1 and access-log-3.
import type { AccessLogEntryId, AppId, ConnectionId, Timestamp, UserId } from "../shared/index.js"

/**
 * The first part of `endpoint` in an entry about an event. The type of the event follows, as in `webhook place.enter`.
 */
export const EVENT_PREFIX = "webhook "

/**
 * Path prefixes of the routes for developers. When a developer read data about the user, the `endpoint` of the entry
 * contains one of these prefixes.
 */
export const DEVELOPER_ROUTES = [" /developer/", " /v1/developer/"] as const

/**
 * Whether the entry is about a request that the app itself made. False for an event, and for a request of the app's
 * developer.
 */
export const isOfApp = (entry: Pick<AccessLogEntry, "endpoint">): boolean =>
  !entry.endpoint.startsWith(EVENT_PREFIX) && !isOfDeveloper(entry)

/** Whether the entry is about a request of the app's developer. */
export const isOfDeveloper = ({ endpoint }: Pick<AccessLogEntry, "endpoint">): boolean =>
  DEVELOPER_ROUTES.some((route) => endpoint.includes(route))

/**
 * An entry of a user's access log: a request of an app or of its developer, or an event for the app (Spec §1.7).
 * Requests with a token that no longer works can share one entry (`times`). Other entries are stored before the answer
 * or the event is sent. An entry outlives its connection (decision P3), and never contains a coordinate.
 */
export interface AccessLogEntry {
  readonly userId: UserId
  readonly id: AccessLogEntryId
  readonly at: Timestamp.Timestamp
  readonly appId: AppId
  readonly connectionId: ConnectionId
  /**
   * For a request: the method and the route, such as `GET /v1/answers/places/{place_id}/presence`, with the names of
   * the route's parameters and not their values. For an event: `EVENT_PREFIX` and the event's type.
   */
  readonly endpoint: string
  /**
   * The key of the purpose that the request named. Null for an event, for a request that needs no purpose, and for a
   * request that was refused before the service found the app's purpose with this key.
   */
  readonly purpose: string | null
  /**
   * For a request: the HTTP status of the answer. For an event: 200 when the service tried to send the event, even if
   * no attempt succeeded; 403 when the app had no permission for the event; 404 when the app had no receiver; 410 when
   * the event was too old.
   */
  readonly status: number
  /** The error code of a refused request, or of an event that was not sent; otherwise null. */
  readonly error: string | null
  /**
   * What the app learned, in words for the user. Null for a refused request, and for a request whose answer discloses
   * nothing, such as the deletion of a rule. There is one exception: when an app asks during a pause where the user is
   * or was, the answer discloses nothing, but the entry has the text `Disclosure.PAUSED`. For an event that was not
   * sent, the text says that the app learned nothing (or nothing more), and what the app would have learned from the
   * event.
   */
  readonly disclosed: string | null
  /**
   * How many requests the entry stands for. It can be more than 1 only for requests with a token that has stopped
   * working. One entry stands for all requests of this kind that one connection makes to one route within an hour from
   * `at` (decision limits-10).
   */
  readonly times: number
}
