import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { openSetupLink } from "@place-access/domain/devices"
import { Token } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import * as DeviceSetup from "../../devices/DeviceSetup.js"
import { HttpOptions } from "../../HttpOptions.js"
import * as Errors from "../../wire/Errors.js"
import * as Form from "../kit/Form.js"
import { html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"

// GPSLogger fetches its settings from a link that works once (decision devices-14).

const words = texts.setUp.gpsLogger

/** Whether a text has the form of a set-up link's key. Says nothing about whether the link still works. */
const isKey = (text: string): boolean => Option.exists(Token.parse(text), ({ kind }) => kind === "ds")

/**
 * The page to which GPSLogger's QR code leads. Nobody is signed in on the phone that opens this page. Opening the page
 * does not use up the key of the link; the key is used up when GPSLogger fetches the profile.
 */
const page = Effect.gen(function* () {
  const key = (yield* Form.query).value("key")
  const { baseUrl } = yield* HttpOptions
  if (!isKey(key)) return yield* Effect.fail(Errors.notFound("link"))
  return yield* respond({
    title: words.title,
    width: "narrow",
    reader: null,
    main: html`<h1>${words.title}</h1>
      <p class="lead">${words.lead}</p>
      <p><a class="button wide" href="${DeviceSetup.gpsLoggerLink(baseUrl, key)}">${words.button}</a></p>
      <p class="soft">${words.once}</p>
      <p>${words.thenAllow}</p>`
  })
})

const HEADERS = { "content-type": "text/plain; charset=us-ascii", "cache-control": "no-store" }

/** The answer to a HEAD request for the profile with GPSLogger's settings. */
const HEAD = HttpServerResponse.empty({ status: 200, headers: HEADERS })

/**
 * Serves the profile with GPSLogger's settings. GPSLogger's request has no session; it has only the key of the link.
 */
const profile = Effect.gen(function* () {
  const { baseUrl } = yield* HttpOptions
  const key = (yield* Form.query).value("key")
  // The router answers HEAD with the route of GET. HEAD must change nothing (RFC 9110 §9.2.1), so a HEAD request does
  // not use up the link.
  if ((yield* HttpServerRequest.HttpServerRequest).method === "HEAD") {
    return isKey(key) ? HEAD : yield* Effect.fail(Errors.notFound("link"))
  }
  const { token } = yield* openSetupLink(key)
  return HttpServerResponse.text(DeviceSetup.gpsLoggerProfile(baseUrl, token), { headers: HEADERS })
})

export const routes = [
  Routes.get(DeviceSetup.GPSLOGGER_PAGE, page),
  Routes.get(DeviceSetup.GPSLOGGER_PROFILE, Effect.uninterruptible(profile))
]
