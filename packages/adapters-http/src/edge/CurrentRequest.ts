import type { Repeat } from "@place-access/domain/access-log"
import type { Connection } from "@place-access/domain/connection"
import type { AppId } from "@place-access/domain/shared"
import { Effect, FiberRef, GlobalValue } from "effect"
import type { RequestPlace } from "./Admission.js"
import * as BodyBounds from "./BodyBounds.js"

/** The connection that a request acts for. The service can know it even when the request's token is no longer valid. */
export type RequestCaller = Connection.ConnectionOwner

/** What the contract declares about a route. These values are computed when the server starts. */
export interface Route {
  /** Method and path, such as `DELETE /v1/rules/place/{id}` (`Routes.label`); empty until a route has matched. */
  readonly label: string
  /** The content types of the body that the route reads. */
  readonly reads: ReadonlySet<string>
  readonly bounds: BodyBounds.Bounds
  /** The headers of every answer of a deprecated route; undefined for other routes. */
  readonly deprecation: Readonly<Record<string, string>> | undefined
}

/**
 * The facts about a request that the edge needs when the answer leaves. The edge gets only an encoded response or a
 * failure, and neither can carry these facts. Each request has one cell, which is changed in place. When a request
 * fails, the cell still has the facts that were recorded before the failure. If handlers returned these facts instead,
 * a failed handler would return nothing, and the facts would be lost.
 */
export interface Cell {
  /**
   * `X-Request-Id` of the answer. The edge chooses the id before any other code runs, so that every log line of the
   * request has the id.
   */
  readonly id: string
  /** Set by the router. The edge reads this field to limit the body, to log the request and to add headers. */
  route: Route
  /**
   * The connection that the request acts for, or is about; undefined when no access log lists the request. The guard of
   * the route sets this field before it checks limits and scopes, so that a call which the guard refuses is logged too.
   * When a developer reads about a connection, the handler sets this field (`developerReads`).
   */
  caller: RequestCaller | undefined
  /**
   * The app that calls, for the figures that its developer reads: the app of the access token or, at the token
   * endpoints, the app of the client id.
   */
  appId: AppId | undefined
  /**
   * Set when the request's token has stopped working. In each hour, the access log has one entry for all such calls of
   * one connection to one route. This field identifies the entry.
   */
  repeat: Repeat | undefined
  /**
   * The key of the app's purpose that `BearerAuthLive` read from the request; null when it read no purpose of the app.
   * `BearerAuthLive` also sets the key when it refuses the purpose, so that the access log names the purpose.
   */
  purpose: string | null
  /**
   * What the answer discloses, as a text for the user, such as "2 shared places"; null when the answer discloses
   * nothing. The text contains no coordinates. A handler behind a bearer token returns the text (`DisclosedAnswer`);
   * other handlers call `discloses`. The cell passes the text to the edge, because the edge gets only the encoded
   * answer.
   */
  disclosed: string | null
  /**
   * The true error code of a refusal, when the edge cannot see the code: a handler turned the refusal into a response
   * itself, or a guard answers with another error (503 for a phone with a wrong token, `OwnTracksAuth`). Logs, metrics
   * and figures use this code in place of the code of the answer.
   */
  refusal: string | null
  /** The cookie of the session that the request's guard accepted; undefined for a request without a session. */
  session: string | undefined
  /**
   * The request's place in admission control (`Admission`); undefined when admission control is off, or does not apply
   * to the request.
   */
  place: RequestPlace | undefined
  /** The rate limit headers: how much of its limit the caller has left. Refusals have these headers as well. */
  standing: Readonly<Record<string, string>>
  /**
   * The rate limit headers of a second limit that refused the request; the answer has these headers in place of
   * `standing`. They are not put into `standing`, because the app's figures need the limit of the connection, which is
   * in `standing`.
   */
  exceeded: Readonly<Record<string, string>>
}

const NONE: Route = { label: "", reads: new Set(), bounds: BodyBounds.ORDINARY, deprecation: undefined }

export const make = (id: string): Cell => ({
  id,
  route: NONE,
  caller: undefined,
  appId: undefined,
  repeat: undefined,
  purpose: null,
  disclosed: null,
  refusal: null,
  session: undefined,
  place: undefined,
  standing: {},
  exceeded: {}
})

/**
 * The cell of the request that a fiber handles. It is a FiberRef and not a service, so handlers need not list it among
 * their requirements. Fibers outside of a request share the first cell. It is frozen, so that a write into it fails.
 */
export const ref: FiberRef.FiberRef<Cell> = GlobalValue.globalValue(
  "@place-access/adapters-http/edge/CurrentRequest",
  () => FiberRef.unsafeMake<Cell>(Object.freeze(make("none")))
)

/** Runs `next` with the cell of this request. */
export const cellWith = <A, E, R>(next: (cell: Cell) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => next(fiber.getFiberRef(ref)))

const change = (f: (cell: Cell) => void): Effect.Effect<void> =>
  cellWith((cell) => {
    f(cell)
    return Effect.void
  })

/**
 * Records the connection that the request acts for. From then on the request gets an entry in the access log of the
 * connection's user, whatever the answer is, and counts as a call of the connection's app.
 */
export const callerIs = (caller: RequestCaller): Effect.Effect<void> =>
  change((cell) => {
    cell.caller = caller
    cell.appId = caller.appId
  })

/**
 * Like `callerIs`, for a developer who reads about a connection of the app. The app itself did not call, so the request
 * does not count as a call of the app.
 */
export const developerReads = (caller: RequestCaller): Effect.Effect<void> =>
  change((cell) => void (cell.caller = caller))

/**
 * Records the app that calls. From then on the request counts as a call of the app. No access log lists the request,
 * because the app asks nothing about a user.
 */
export const clientIs = (id: AppId): Effect.Effect<void> => change((cell) => void (cell.appId = id))

/**
 * Like `callerIs`, for a token that no longer works: the call has no log entry of its own, but shares one with the
 * other calls that `repeat` describes.
 */
export const deadCallerIs = (caller: RequestCaller, repeat: Repeat): Effect.Effect<void> =>
  change((cell) => {
    cell.caller = caller
    cell.appId = caller.appId
    cell.repeat = repeat
  })

/**
 * Records what the answer discloses, for a handler that is not behind a bearer token. Handlers behind a bearer token
 * return a `DisclosedAnswer`.
 */
export const discloses = (words: string): Effect.Effect<void> => change((cell) => void (cell.disclosed = words))

/** Records the code of a refusal that the edge cannot see (`Cell.refusal`). */
export const refusedWith = (code: string): Effect.Effect<void> => change((cell) => void (cell.refusal = code))

/** Records the cookie of the request's session, so that a request that had to wait can check the session again. */
export const sessionIs = (cookie: string): Effect.Effect<void> => change((cell) => void (cell.session = cookie))

/** Records the purpose's key for the access log. The key must be the key of one of the app's purposes. */
export const purposeIs = (key: string): Effect.Effect<void> => change((cell) => void (cell.purpose = key))

export const id: Effect.Effect<string> = Effect.map(FiberRef.get(ref), (cell) => cell.id)
