import { isLoopback } from "@place-access/worker"
import { Clock, Effect } from "effect"
import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import type { EventMessage } from "./Messages.js"

/** The local program's answer to an event. */
export type ForwardedAnswer =
  | { readonly _tag: "Answered"; readonly status: number; readonly millis: number }
  | { readonly _tag: "Failed"; readonly why: string }

/**
 * How long to wait for the local program. This is longer than the service waits for an answer, so that an answer is
 * shown even when a debugger delayed the program.
 */
const PATIENCE_MILLIS = 30_000

/**
 * Posts an event to the local program, with the same bytes and headers that the service would post. Does not follow
 * redirects. Never fails.
 */
export const forward = (url: URL, event: typeof EventMessage.Type): Effect.Effect<ForwardedAnswer> =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    const answer = yield* post(url, event)
    if (typeof answer === "string") return { _tag: "Failed", why: answer } as const
    return { _tag: "Answered", status: answer, millis: (yield* Clock.currentTimeMillis) - before } as const
  })

/** Returns the status of the answer, or the reason why there is no answer. */
const post = (url: URL, { body, headers }: typeof EventMessage.Type): Effect.Effect<number | string> =>
  Effect.async((resume) => {
    const bytes = Buffer.from(body, "utf8")
    const options = {
      method: "POST",
      headers: { ...headers, "content-length": bytes.length },
      // The certificate of a program on this machine is usually self-signed, so it is not checked.
      rejectUnauthorized: !isLoopback(url.hostname),
      timeout: PATIENCE_MILLIS
    }
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, options, (response) => {
      response.resume()
      response.once("close", () => resume(Effect.succeed(response.statusCode ?? 0)))
      response.once("error", () => undefined)
    })
    request.once("timeout", () => {
      resume(Effect.succeed(`no answer within ${PATIENCE_MILLIS / 1_000} s`))
      request.destroy()
    })
    request.once("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(explain(error))))
    request.end(bytes)
    return Effect.sync(() => request.destroy())
  })

const explain = (error: NodeJS.ErrnoException): string => {
  switch (error.code) {
    case "ECONNREFUSED":
      return "nothing listens there"
    case "ECONNRESET":
      return "the connection was closed without an answer"
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "there is no such host"
    default:
      return error.message === "" ? String(error.code) : error.message
  }
}
