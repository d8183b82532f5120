import { CannotStart } from "@place-access/worker"
import { Data, Effect, Option, Schema, type Scope, Stream } from "effect"
import type { ListenOptions } from "./options.js"
import * as Messages from "./Messages.js"
import { plain } from "./words.js"

/** The connection is lost, or the service cannot answer now; a retry may help. */
export class Lost extends Data.TaggedError("Lost")<{ readonly why: string }> {}

/**
 * The service does not open the stream (409): the app was revoked, or it has the maximum number of listeners. A
 * listener whose connection was lost may still count towards this number.
 */
export class StreamRefused extends Data.TaggedError("StreamRefused")<{ readonly why: string }> {}

/** The service, as a signed-in developer can use it. */
export interface Service {
  readonly apps: Effect.Effect<ReadonlyArray<typeof App.Type>, CannotStart | Lost>
  /**
   * Fails with `Lost` when the stream ends, whichever side ended it. When the stream is not opened, fails with
   * `StreamRefused` after a 409, with `Lost` when a retry may help, otherwise with `CannotStart`.
   */
  readonly events: (
    app: string,
    options: Pick<ListenOptions, "endpoint" | "events">
  ) => Stream.Stream<Messages.ListenMessage, CannotStart | Lost | StreamRefused>
}

export interface DeveloperCredentials {
  readonly email: string
  readonly password: string
  /** Asks the person for a code of the second factor. This effect runs only when the service requires a code. */
  readonly code: Effect.Effect<string, CannotStart>
}

const App = Schema.Struct({ id: Schema.String, name: Schema.String })
const Apps = Schema.Struct({ apps: Schema.Array(App) })
const NeedsCode = Schema.Struct({ error: Schema.Literal("second_factor_required") })
const Refusal = Schema.Struct({ message: Schema.Union(Schema.String, Schema.Array(Schema.String)) })

/** The time of three heartbeats. A connection that is silent for this time is lost. */
const SILENCE = "45 seconds"
const PATIENCE = "30 seconds"
const FAREWELL = "5 seconds"

/** Signs in. Signs out when the scope closes, if the service answers. */
export const signIn = (
  base: string,
  credentials: DeveloperCredentials
): Effect.Effect<Service, CannotStart | Lost, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(openSession(base, credentials), (cookie) =>
      call(base, "DELETE", "/v1/session", cookie).pipe(Effect.interruptible, Effect.timeout(FAREWELL), Effect.ignore)
    ),
    (cookie) => ({
      apps: Effect.gen(function* () {
        const response = yield* accepted(yield* call(base, "GET", "/v1/developer/apps?limit=500", cookie), base)
        const { apps } = yield* json(response, Apps)
        return apps.map((app) => ({ ...app, name: plain(app.name) }))
      }),
      events: (app, options) =>
        Stream.unwrapScoped(
          Effect.gen(function* () {
            const path = `/v1/developer/apps/${encodeURIComponent(app)}/listen`
            const { endpoint, events } = options
            const subscription = endpoint === undefined ? { events } : { endpoint_id: endpoint }
            const response = yield* call(base, "POST", path, cookie, subscription)
            if (response.status === 404) return yield* unknown(app, endpoint)
            if (response.status === 409) {
              const why = yield* refusalOf(response)
              return yield* new StreamRefused({ why: why === "" ? "it answers 409" : why })
            }
            const { body } = yield* accepted(response, base)
            return body === null ? Stream.fail(new Lost({ why: "nothing came" })) : messages(body)
          })
        )
    })
  )

const openSession = (base: string, { code, ...credentials }: DeveloperCredentials) =>
  Effect.gen(function* () {
    const first = yield* call(base, "POST", "/v1/session", undefined, credentials)
    // True when the password is right and the account has a second factor.
    const needsCode = first.status === 403 && (yield* Effect.isSuccess(json(first.clone(), NeedsCode)))
    const response = needsCode
      ? yield* call(base, "POST", "/v1/session", undefined, { ...credentials, code: yield* code })
      : first
    if (response.status === 400 || response.status === 401) {
      return yield* new CannotStart({
        message: needsCode
          ? "The code is wrong, or was used before. Wait for the next one, then start again."
          : `${base} does not know this e-mail and password together.`
      })
    }
    if (response.status === 429) {
      const seconds = Number(response.headers.get("retry-after"))
      const wait = seconds > 0 ? `in ${Math.ceil(seconds / 60)} min` : "later"
      return yield* new CannotStart({ message: `There were too many tries to sign in. Try again ${wait}.` })
    }
    yield* accepted(response, base)
    return response.headers
      .getSetCookie()
      .map((cookie) => cookie.split(";")[0] ?? "")
      .join("; ")
  })

const call = (base: string, method: string, path: string, cookie?: string, body?: object) =>
  Effect.tryPromise({
    try: (signal) =>
      fetch(base + path, {
        method,
        redirect: "manual",
        signal,
        headers: {
          // The header that a browser sends from a page of the service. Without it, the service refuses a change that
          // is authenticated by a cookie.
          origin: new URL(base).origin,
          ...(cookie === undefined ? {} : { cookie }),
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      }),
    catch: (error) => new Lost({ why: reason(error) })
  }).pipe(Effect.timeoutFail({ duration: PATIENCE, onTimeout: () => new Lost({ why: "it does not answer" }) }))

const reason = (error: unknown): string => {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
  switch (code) {
    case "ECONNREFUSED":
      return "nothing listens there"
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "there is no such host"
    case "ECONNRESET":
    case "UND_ERR_SOCKET":
      return "the connection was cut"
    default:
      return code === "" ? (cause instanceof Error ? cause.message : String(cause)) : `the connection failed (${code})`
  }
}

/** The service's text in an answer that refuses the request; empty when the answer has no such text. */
const refusalOf = (response: Response): Effect.Effect<string> =>
  Effect.map(
    Effect.option(json(response, Refusal)),
    Option.match({ onNone: () => "", onSome: ({ message }) => plain([message].flat().join("; ")) })
  )

/** Returns the answer if it is a success. Fails with `Lost` when a retry may help, otherwise with `CannotStart`. */
const accepted = (response: Response, base: string): Effect.Effect<Response, CannotStart | Lost> =>
  Effect.gen(function* () {
    if (response.ok) return response
    const said = yield* refusalOf(response)
    if (response.status === 401) return yield* new CannotStart({ message: SIGNED_OUT })
    if (response.status === 429 || response.status >= 500) {
      return yield* new Lost({ why: `it answers ${response.status}${said === "" ? "" : `: ${said}`}` })
    }
    return yield* new CannotStart({
      message: said === "" ? `${base} answers ${response.status}: is that this service?` : `The service says: ${said}.`
    })
  })

export const SIGNED_OUT = "You were signed out. Start again to go on."

const unknown = (app: string, endpoint: string | undefined) =>
  new CannotStart({
    message:
      endpoint === undefined
        ? `You have no app ${app}. Without --app your apps are listed.`
        : `You have no app ${app} with an endpoint ${endpoint}.`
  })

const json = <A, I>(response: Response, schema: Schema.Schema<A, I>): Effect.Effect<A, CannotStart> =>
  Effect.tryPromise(() => response.json()).pipe(
    Effect.flatMap(Schema.decodeUnknown(schema)),
    Effect.mapError(() => new CannotStart({ message: `${response.url} does not answer as this service does.` }))
  )

const messages = (body: NonNullable<Response["body"]>): Stream.Stream<Messages.ListenMessage, Lost> =>
  Stream.fromReadableStream({ evaluate: () => body, onError: (error) => new Lost({ why: reason(error) }) }).pipe(
    Stream.timeoutFail(() => new Lost({ why: "the connection is silent" }), SILENCE),
    Stream.decodeText(),
    Stream.mapAccum("", Messages.read),
    Stream.mapConcat((found) => found),
    Stream.concat(Stream.fail(new Lost({ why: "it was closed" })))
  )
