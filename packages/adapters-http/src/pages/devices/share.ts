import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Device } from "@place-access/domain/devices"
import { Entropy } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Browser from "../../security/Browser.js"
import * as Assets from "../kit/Assets.js"
import { html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"

// Decision devices-15.

/** The name of a browser among the devices. */
const nameOf = (userAgent: string | undefined): string =>
  Option.getOrElse(Schema.decodeUnknownOption(Device.DeviceName)(Browser.nameOf(userAgent)), () => "This browser")

export const sharePath = (portal: string): string => `${portal}/devices/share`

const manifestPath = (portal: string): string => `${portal}/devices/share.webmanifest`

const show = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      return respond({
        title: "Share from this browser",
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/devices`,
        width: "middle",
        share: { nonce: yield* Entropy.secret, manifest: manifestPath(portal) },
        main: html`<p><a href="${portal}/devices">Devices</a></p>
          <h1>Share from this browser</h1>
          <p class="lead">
            Without an app: this browser sends where you are for as long as this page is open. It is good for a try. A
            phone's app also sends while its screen is off.
          </p>
          <noscript
            ><p class="note warn">
              A browser tells its location to a script only, and scripts are off here.
              <a href="${portal}/devices">Add a phone's app instead</a>
            </p></noscript
          >
          <section
            class="card"
            id="share"
            aria-label="Sharing"
            data-account="${visitor.account.id}"
            data-name="${nameOf(headers["user-agent"])}"
            hidden
          >
            <p class="actions">
              <button type="button" id="share-start">Start</button>
              <button type="button" class="danger" id="share-stop" hidden>Stop</button>
              <button type="button" class="second" id="share-forget" hidden>Forget this browser</button>
            </p>
            <p id="share-said" role="status">Nothing is sent.</p>
            <p class="soft" id="share-waiting"></p>
            <div id="share-sent-title" hidden>
              <h2>Sent</h2>
              <ul id="share-sent"></ul>
            </div>
          </section>
          <h2>What happens</h2>
          <ul>
            <li>Start adds this browser to your devices. Its token stays in this browser, and can only send.</li>
            <li>Without a network the locations wait in this browser, at most 720 of them.</li>
            <li>Stop ends it at once, and so does closing the page. Forget removes the device and its token.</li>
            <li>On a computer that others use, press “Forget this browser” before you leave.</li>
            <li>You can install this page: in the menu of the browser, choose “Install” or “Add to home screen”.</li>
          </ul>`
      })
    })
  )

/** What a browser needs to install the page as an app. It names nobody, so that it can be read without a sign-in. */
const manifest = (portal: string) =>
  HttpServerResponse.text(
    JSON.stringify({
      name: "Place Access: share from this browser",
      short_name: "Place Access",
      id: sharePath(portal),
      start_url: sharePath(portal),
      // All pages: otherwise a sign-in would leave the app.
      scope: "/",
      display: "standalone",
      background_color: "#f7f6f2",
      theme_color: "#17604d",
      icons: [{ src: Assets.icon.path, sizes: "any", type: "image/svg+xml", purpose: "any" }]
    }),
    { contentType: "application/manifest+json", headers: { "cache-control": "public, max-age=3600" } }
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(sharePath(portal), show(portal)),
    Routes.get(manifestPath(portal), Effect.succeed(manifest(portal)))
  ]
}
