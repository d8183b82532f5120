import { type HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import type { AccountStore } from "@place-access/domain/accounts"
import type { Vault } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import type { HttpOptions } from "../HttpOptions.js"
import * as Errors from "../wire/Errors.js"
import { html } from "./kit/Html.js"
import { type PageReader, respond } from "./kit/Page.js"
import * as Visitor from "./kit/Visitor.js"

interface ErrorPageTexts {
  readonly title: string
  /** Replaces the message of the API where that message is of no use to a reader, or repeats the title. */
  readonly text?: string
}

const WORDS: Readonly<Record<number, ErrorPageTexts>> = {
  400: { title: "This request cannot be used" },
  401: { title: "Sign in first" },
  403: { title: "This is not allowed" },
  404: { title: "This page does not exist" },
  405: { title: "This page cannot be used in this way" },
  409: { title: "This conflicts with the current state" },
  413: { title: "This is too large" },
  415: { title: "This is not a form" },
  429: { title: "Too many tries", text: "Wait a little, then try again" },
  500: { title: "Something went wrong on our side", text: "Try again. If it happens again, tell us" },
  503: { title: "We are not available right now", text: "Try again in a moment" }
}
const UNKNOWN: ErrorPageTexts = { title: "Something went wrong" }

/** Statuses of an overloaded service: the page skips the look-up of its reader, so that a refusal stays cheap. */
const BUSY: ReadonlySet<number> = new Set([429, 503])

/** Who reads the page. Null when nobody is signed in, and when the look-up of the session fails. */
const readerOf = (
  status: number
): Effect.Effect<
  PageReader | null,
  never,
  HttpServerRequest.HttpServerRequest | HttpOptions | AccountStore | Vault.Vault
> =>
  BUSY.has(status)
    ? Effect.succeed(null)
    : Effect.flatMap(
        Visitor.current,
        Option.match({ onNone: () => Effect.succeed(null), onSome: (visitor) => Visitor.reader(visitor) })
      ).pipe(Effect.catchAllCause(() => Effect.succeed(null)))

/**
 * Shows an error to a person with a browser: the message that the API would send, without internals. A signed-in reader
 * keeps the navigation.
 */
export const errorPage = (error: Errors.WireError, requestId: string) =>
  Effect.map(readerOf(error.statusCode), (reader): HttpServerResponse.HttpServerResponse => {
    const { text: usual, title } = WORDS[error.statusCode] ?? UNKNOWN
    // A limit of an account says which limit it is.
    const text = error.error === "rate_limited" && error.message !== Errors.TOO_MANY ? undefined : usual
    const said = typeof error.message === "string" ? [error.message] : error.message
    return respond({
      title,
      width: "narrow",
      reader,
      status: error.statusCode,
      headers: Errors.headersOf(error),
      main: html`<h1>${title}</h1>
        ${(text === undefined ? said : [text]).map((message) => html`<p>${message}.</p>`)}
        <p class="soft small">If you ask us about it, give us this number: <code>${requestId}</code></p>
        <p><a href="/">Go to the front page</a></p>`
    })
  })
