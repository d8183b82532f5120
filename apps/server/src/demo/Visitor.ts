import { Data, Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"

/** The tour cannot go on. The message says why, for example with the request and the answer. */
export class TourStopped extends Data.TaggedError("TourStopped")<{ readonly message: string }> {}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

interface Call {
  readonly json?: unknown
  readonly form?: URLSearchParams
  readonly token?: string
}

/** A client of the demo that calls the service over HTTP: a browser with its cookies, or a program. */
export interface DemoVisitor {
  /** Sends a request; does not follow redirects. */
  readonly call: (method: string, path: string, call?: Call) => Effect.Effect<Answer, TourStopped>
  /** Sends a request as `call` does. Fails unless the answer is a success whose body has this shape. */
  readonly ask: <A, I>(
    shape: Schema.Schema<A, I>,
    method: string,
    path: string,
    call?: Call
  ) => Effect.Effect<A, TourStopped>
}

export const make = (baseUrl: string): DemoVisitor => {
  const cookies = new Map<string, string>()

  const send = async (method: string, path: string, key: string, { form, json, token }: Call): Promise<Answer> => {
    const headers = new Headers({ origin: new URL(baseUrl).origin })
    if (cookies.size > 0) headers.set("cookie", Array.from(cookies, (pair) => pair.join("=")).join("; "))
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`)
    if (json !== undefined) headers.set("content-type", "application/json")
    if (method === "POST") headers.set("idempotency-key", key)
    const body = json === undefined ? form : JSON.stringify(json)
    const response = await fetch(new URL(path, `${baseUrl}/`), {
      method,
      headers,
      redirect: "manual",
      ...(body === undefined ? {} : { body })
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";")
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1))
    }
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  const call: DemoVisitor["call"] = (method, path, options = {}) =>
    Effect.suspend(() => {
      // The request and its retries have the same idempotency key: if an answer is lost, the retry does not make
      // anything a second time.
      const key = randomUUID()
      return Effect.tryPromise({
        try: () => send(method, path, key, options),
        catch: (error) => new TourStopped({ message: `${method} ${path} got no answer: ${String(error)}` })
      }).pipe(Effect.retry({ times: 2 }))
    })

  return {
    call,
    ask: (shape, method, path, options) =>
      Effect.flatMap(call(method, path, options), ({ status, text }) =>
        status >= 200 && status < 300
          ? Effect.mapError(
              Schema.decode(Schema.parseJson(shape))(text),
              (error) => new TourStopped({ message: `${method} ${path} answered something else: ${error.message}` })
            )
          : new TourStopped({ message: `${method} ${path} answered ${status}: ${text.slice(0, 500)}` })
      )
  }
}
