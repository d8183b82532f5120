import type { HttpServerRequest } from "@effect/platform"
import type { AccountStore } from "@place-access/domain/accounts"
import { translate } from "@place-access/domain/languages"
import type { Vault } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import type { HttpOptions } from "../HttpOptions.js"
import * as Errors from "../wire/Errors.js"
import { forReader, type Html, html } from "../html/Html.js"
import { texts } from "../languages/index.js"
import * as Fields from "./kit/Fields.js"
import { type PageReader, respond } from "./kit/Page.js"
import * as Stranger from "./kit/Stranger.js"
import * as Visitor from "./kit/Visitor.js"

const words = texts.frame.errors

const TITLES: Readonly<Record<number, Html>> = words.titles

/**
 * The titles of error pages about refused forms, by the message of the refusal. The usual title of the status would be
 * wrong for these refusals.
 */
const OWN_TITLES: ReadonlyMap<unknown, Html> = new Map([
  [Visitor.stale.message, words.stale],
  [Stranger.noCookie.message, words.noCookie]
])

/** Texts that replace a message of the API when the message only repeats the title of the page. */
const OWN_TEXTS: ReadonlyMap<unknown, Html> = new Map([[Visitor.stale.message, words.staleAdvice]])

/**
 * For some statuses, a text that replaces the message of the API. For these statuses the API's message is of no use to
 * the reader of a page, or repeats the title. When a limit of the account refuses (429), its own message is shown.
 */
const ADVICE: Readonly<Record<number, Html>> = words.advice

/**
 * The statuses of an overloaded service (503), and of a caller that is over a limit (429). For these statuses the error
 * page does not look up who reads it, so that a refusal needs no query.
 */
const BUSY: ReadonlySet<number> = new Set([429, 503])

/**
 * The signed-in reader of the page. Null when nobody is signed in, when the session's look-up fails, or for a `BUSY`
 * status.
 */
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
 * Shows an error to a person with a browser: the message that the API would send, or a text of `ADVICE` in its place. A
 * signed-in reader keeps the navigation, except at a status of `BUSY`.
 */
export const errorPage = (error: Errors.WireError, requestId: string) =>
  Effect.flatMap(readerOf(error.statusCode), (reader) => {
    const title = OWN_TITLES.get(error.message) ?? TITLES[error.statusCode] ?? words.unknown
    // When a limit of an account refuses the request, the message says which limit it was. So the message is shown, and
    // not the general advice.
    const isOfAccount = error.error === "rate_limited" && error.message !== Errors.TOO_MANY
    const text = isOfAccount ? undefined : (OWN_TEXTS.get(error.message) ?? ADVICE[error.statusCode])
    const said = typeof error.message === "string" ? [error.message] : error.message
    return respond({
      title,
      width: "narrow",
      reader,
      status: error.statusCode,
      headers: Errors.headersOf(error),
      main: html`<h1>${title}</h1>
        ${(text === undefined ? said.map(inFull) : [text]).map((message) => html`<p>${message}.</p>`)}
        <p class="soft small">${words.number(requestId)}</p>
        <p><a href="/">${words.frontPage}</a></p>`
    })
  })

/**
 * Translates a message of the API. Some of these messages are refusals of the domain with a capital first letter, and
 * the translations contain the refusals with a small first letter. So the function looks the message up with a small
 * letter, and then gives the translation a capital letter.
 */
const inFull = (message: string): Html =>
  forReader(({ language }) => {
    const small = message.charAt(0).toLowerCase() + message.slice(1)
    const translated = translate(small, language)
    const isKnownOnlySo = translated !== small && translate(message, language) === message
    return Fields.said(isKnownOnlySo ? translated.charAt(0).toUpperCase() + translated.slice(1) : message)
  })
