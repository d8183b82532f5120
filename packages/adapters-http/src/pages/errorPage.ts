import { type HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import type { AccountStore } from "@place-access/domain/accounts"
import type { Vault } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import type { HttpOptions } from "../HttpOptions.js"
import * as Errors from "../wire/Errors.js"
import { html } from "./kit/Html.js"
import { type Reader, respond } from "./kit/Page.js"
import * as Visitor from "./kit/Visitor.js"

interface Words {
  readonly title: string
  /** Instead of what the API says, where that is of no use to a reader or says the title again. */
  readonly text?: string
}

const WORDS: Readonly<Record<number, Words>> = {
  400: { title: "This request cannot be used" },
  401: { title: "Sign in first" },
  403: { title: "This is not allowed" },
  404: { title: "There is nothing here" },
  405: { title: "This is not how the page is used" },
  409: { title: "This does not fit together" },
  413: { title: "This is too much at once" },
  415: { title: "This is not a form" },
  429: { title: "Too many tries", text: "Wait a little, then try again" },
  500: { title: "Something went wrong on our side", text: "Try again. If it happens again, tell us" },
  503: { title: "We are not available right now", text: "Try again in a moment" }
}
const UNKNOWN: Words = { title: "Something went wrong" }

/** Nothing is looked up for a refusal whose reason is that there is too much to do. */
const BUSY: ReadonlySet<number> = new Set([429, 503])

/** Who reads the page; null when nobody is signed in, and when that cannot be found out. */
const readerOf = (
  status: number
): Effect.Effect<
  Reader | null,
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
 * A refusal for a person with a browser. Says what our API would say, and nothing of the inside. Who is signed in keeps the navigation.
 */
export const errorPage = (error: Errors.WireError, requestId: string) =>
  Effect.map(readerOf(error.statusCode), (reader): HttpServerResponse.HttpServerResponse => {
    const { text, title } = WORDS[error.statusCode] ?? UNKNOWN
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
