import { HttpServerRequest } from "@effect/platform"
import { Language, Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { negotiate } from "./AcceptLanguage.js"
import type { Locale } from "./Locale.js"

/** The language that a browser asks for (RFC 9110 §12.5.4), or the default. Decision languages-1. */
export const language: Effect.Effect<Language.Language, never, HttpServerRequest.HttpServerRequest> = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ headers }) => negotiate(headers["accept-language"]) ?? Language.DEFAULT
)

/** The locale of a reader who is not signed in. */
export const locale: Effect.Effect<Locale, never, HttpServerRequest.HttpServerRequest> = Effect.map(
  Effect.all({ language, now: Timestamp.now }),
  ({ language, now }) => ({ language, now, zone: null })
)
