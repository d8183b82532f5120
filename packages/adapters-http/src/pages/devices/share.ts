import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Device } from "@place-access/domain/devices"
import { Entropy, Language } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Browser from "../../security/Browser.js"
import * as Assets from "../kit/Assets.js"
import { type Html, html } from "../../html/Html.js"
import { forScript, texts, textsIn } from "../../languages/index.js"
import * as Form from "../kit/Form.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as TouchIcon from "../kit/icons/TouchIcon.js"
import * as Visitor from "../kit/Visitor.js"

// A page on which a browser shares its position like a phone's app (decisions devices-15 and languages-4).

const words = texts.setUp.share

/** The name that this browser gets in the list of devices. */
const nameOf = (userAgent: string | undefined): Html =>
  Option.match(Schema.decodeUnknownOption(Device.DeviceName)(Browser.nameOf(userAgent)), {
    onNone: () => texts.devices.apps.browser.name,
    onSome: (name) => texts.frame.browser(name)
  })

export const sharePath = (portal: string): string => `${portal}/devices/share`

const manifestPath = (portal: string): string => `${portal}/devices/share.webmanifest`

const show = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const reader = yield* Visitor.reader(visitor)
      return yield* respond({
        title: words.title,
        reader,
        current: `${portal}/devices`,
        width: "middle",
        share: {
          nonce: yield* Entropy.nonce,
          texts: forScript(({ setUp }) => setUp.share.script),
          // A browser requests the manifest without the session cookie, so the service does not know the reader, and
          // the address of the manifest contains the language.
          manifest: `${manifestPath(portal)}?language=${reader.locale.language}`
        },
        main: html`<p><a href="${portal}/devices">${texts.devices.title}</a></p>
          <h1>${words.title}</h1>
          <p class="lead">${words.lead}</p>
          <noscript
            ><p class="note warn">${words.noScript} <a href="${portal}/devices">${words.appInstead}</a></p></noscript
          >
          <section
            class="card"
            id="share"
            aria-label="${words.label}"
            data-account="${visitor.account.id}"
            data-name="${nameOf(headers["user-agent"])}"
            hidden
          >
            <p class="actions">
              <button type="button" id="share-start">${words.start}</button>
              <button type="button" class="danger" id="share-stop" hidden>${words.stop}</button>
              <button type="button" class="second" id="share-forget" hidden>${words.forget}</button>
            </p>
            <p id="share-said" role="status">${words.nothingIsSent}</p>
            <p class="soft" id="share-waiting"></p>
            <div id="share-sent-title" hidden>
              <h2>${words.sent}</h2>
              <ul id="share-sent"></ul>
            </div>
          </section>
          <h2>${words.whatHappens}</h2>
          <ul>
            ${Object.values(words.happens).map((one) => html`<li>${one}</li>`)}
          </ul>`
      })
    })
  )

/**
 * The web app manifest, with which a browser installs the page as an app. It contains nothing about the person, because
 * a browser requests it without the session cookie.
 */
const manifest = (portal: string, language: Language.Language) =>
  HttpServerResponse.text(
    JSON.stringify({
      name: textsIn(language).setUp.share.installedName,
      lang: language,
      short_name: "Place Access",
      id: sharePath(portal),
      start_url: sharePath(portal),
      // The installed app includes all pages of this service. Otherwise the sign-in page would open outside the app.
      scope: "/",
      display: "standalone",
      background_color: "#f7f6f2",
      theme_color: "#17604d",
      icons: [
        { src: Assets.icon.path, sizes: "any", type: "image/svg+xml", purpose: "any" },
        { src: TouchIcon.PATH, sizes: TouchIcon.SIZES, type: "image/png", purpose: "any" }
      ]
    }),
    { contentType: "application/manifest+json", headers: { "cache-control": "public, max-age=3600" } }
  )

const decodeLanguage = Schema.decodeUnknownOption(Language.Language)

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(sharePath(portal), show(portal)),
    Routes.get(
      manifestPath(portal),
      Effect.map(Form.query, (query) =>
        manifest(
          portal,
          Option.getOrElse(decodeLanguage(query.value("language")), () => Language.DEFAULT)
        )
      )
    )
  ]
}
