import { HttpServerResponse } from "@effect/platform"
import { openSetupLink } from "@place-access/domain/devices"
import { Token } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import * as DeviceSetup from "../../devices/DeviceSetup.js"
import { HttpOptions } from "../../HttpOptions.js"
import * as Errors from "../../wire/Errors.js"
import * as Form from "../kit/Form.js"
import { html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"

// Decision devices-14.

/**
 * The page to which a camera comes from the QR code, on a phone where nobody is signed in. Opening it uses nothing up:
 * the app does, when it fetches the profile.
 */
const page = Effect.gen(function* () {
  const key = (yield* Form.query).value("key")
  const { baseUrl } = yield* HttpOptions
  if (!Option.exists(Token.parse(key), ({ kind }) => kind === "ds")) return yield* Effect.fail(Errors.notFound("link"))
  return respond({
    title: "Set up GPSLogger",
    width: "narrow",
    reader: null,
    main: html`<h1>Set up GPSLogger</h1>
      <p class="lead">GPSLogger must be installed on this phone before you press the button.</p>
      <p><a class="button wide" href="${DeviceSetup.gpsLoggerLink(baseUrl, key)}">Load into GPSLogger</a></p>
      <p class="soft">
        The button works once, and for 15 minutes after you added the device. If GPSLogger shows nothing new, add the
        device again.
      </p>
      <p>Then allow the location all the time, and start logging.</p>`
  })
})

/** The profile. The key of the link is all that the app sends. */
const profile = Effect.gen(function* () {
  const { baseUrl } = yield* HttpOptions
  const { token } = yield* openSetupLink((yield* Form.query).value("key"))
  return HttpServerResponse.text(DeviceSetup.gpsLoggerProfile(baseUrl, token), {
    contentType: "text/plain; charset=us-ascii",
    headers: { "cache-control": "no-store" }
  })
})

export const routes = [
  Routes.get(DeviceSetup.GPSLOGGER_PAGE, page),
  Routes.get(DeviceSetup.GPSLOGGER_PROFILE, Effect.uninterruptible(profile))
]
