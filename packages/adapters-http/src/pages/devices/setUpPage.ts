import { type Added, Device } from "@place-access/domain/devices"
import { listPlaces } from "@place-access/domain/places"
import { Entropy, Timestamp } from "@place-access/domain/shared"
import type { OwnPhone } from "@place-access/domain/timeline"
import { Effect } from "effect"
import { renderSVG } from "uqr"
import * as DeviceSetup from "../../devices/DeviceSetup.js"
import { HttpOptions } from "../../HttpOptions.js"
import { forReader, Html, html } from "../../html/Html.js"
import { forScript, texts } from "../../languages/index.js"
import { respond } from "../kit/Page.js"
import * as Visitor from "../kit/Visitor.js"
import { arrival } from "./arrival.js"

const words = texts.setUp

/**
 * The setup steps for a phone that was added earlier. The steps do not contain the token, because the service does not
 * store tokens. An owner who has lost the token must add the phone again.
 */
export const instructions = (device: Pick<Device.Device, "id" | "format" | "name">, baseUrl: string): Html =>
  forReader(({ language }) => {
    const { address, steps, tuning } = DeviceSetup.make(device, { token: "", baseUrl, language })
    return html`<details>
      <summary>${words.howTo(device.name)}</summary>
      <p class="soft small">${words.address}</p>
      <code class="secret">${address}</code>
      <ol>
        ${steps.map((step) => html`<li>${step}</li>`)}
      </ol>
      ${tuning.length > 0 && tuningList(tuning)}
      <p class="soft small">${words.tokenGone}</p>
    </details>`
  })

const tuningList = (tuning: ReadonlyArray<DeviceSetup.PhoneTuning>): Html =>
  html`<dl>
    ${tuning.map(
      ({ effect, name, value }) =>
        html`<dt>${name}: <strong>${value}</strong></dt>
          <dd>${effect}</dd>`
    )}
  </dl>`

/** The page that shows the token of a new phone. No later page shows the token again. */
export const setUpPage = (portal: string, visitor: Visitor.Visitor, { device, setupKey, token }: Added) =>
  Effect.gen(function* () {
    const { baseUrl } = yield* HttpOptions
    const { sender } = Device.PROPERTIES[device.format]
    const places = (yield* listPlaces(visitor.account.id)).filter(({ archivedAt }) => archivedAt === null)
    const reader = yield* Visitor.reader(visitor)
    const { language } = reader.locale
    const setup = DeviceSetup.make(device, { token, baseUrl, places, setupKey, language })
    const now = yield* Timestamp.now
    const phone: OwnPhone = { device, silence: "never", accuracyM: null, troubles: [] }
    return yield* respond({
      title: words.title(device.name),
      reader,
      current: `${portal}/devices`,
      width: "middle",
      device: { nonce: yield* Entropy.nonce, texts: forScript(({ setUp }) => setUp.copyScript) },
      main: html`<h1>${words.title(device.name)}</h1>
        <div class="note warn">
          <p>${words.shownOnce}</p>
        </div>
        ${sender !== "program" && isThisMachine(setup.address) && outOfReach(portal)}
        <section class="card" aria-labelledby="steps">
          <h2 id="steps">${words.stepByStep(texts.devices.apps[device.format].name)}</h2>
          <ol>
            ${setup.steps.map((step) => html`<li>${step}</li>`)}
          </ol>
          ${qrCode(setup)} ${setup.link !== null && openOnPhone(device.format, setup.link)}
        </section>
        ${arrival(`${portal}/devices/${device.id}`, phone, now)}
        <section class="card" aria-labelledby="settings">
          <h2 id="settings">${setup.link === null ? words.fillIn : words.orByHand}</h2>
          ${setup.settings.map((setting) => field(setting, token))}
        </section>
        ${
          setup.tuning.length > 0 &&
          html`<section class="card" aria-labelledby="tuning">
            <h2 id="tuning">${words.tuningHeading}</h2>
            <p>${words.tuningLead}</p>
            ${tuningList(setup.tuning)}
          </section>`
        }
        ${sender === "program" && tryIt(setup.address, token)}
        <p><a class="button" href="${portal}/devices">${words.done}</a></p>`
    })
  })

/**
 * Whether the address is an address of the server's own machine. People who try the service out run it at localhost,
 * which their phone cannot reach.
 */
const isThisMachine = (address: string): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(address).hostname)

const outOfReach = (portal: string): Html =>
  html`<div class="note warn">
    <p>${words.outOfReach}</p>
    <p>${words.browserInstead(`${portal}/devices/share`)}</p>
  </div>`

/**
 * The QR code, drawn as SVG within the HTML: the page needs no image file and no script. The code is black on white
 * also in dark mode, because cameras need this contrast.
 */
const qrCode = ({ link, qrText }: DeviceSetup.DeviceSetup): Html =>
  html`<div class="qr" role="img" aria-label="${link === null ? words.qrText : words.qrLink}">
    ${new Html(renderSVG(qrText, { border: 0 }))}
  </div>`

/** A link that opens the phone app. It is for a reader who has opened this page on the phone itself. */
const openOnPhone = (format: Device.PhoneFormat, link: string): Html =>
  html`<p class="below">
    ${words.isThisThePhone} <a class="button second" href="${link}">${words.openIn(texts.devices.apps[format].name)}</a>
  </p>`

const field = ({ name, value }: DeviceSetup.PhoneSetting, token: string): Html =>
  html`<h3>${name}</h3>
    <code class="secret" data-copy="${name}" ${value === token && new Html('data-testid="device-token"')}
      >${value}</code
    >`

const tryIt = (address: string, token: string): Html =>
  html`<section class="card" aria-labelledby="try">
    <h2 id="try">${words.tryIt}</h2>
    <pre class="secret" data-copy="${words.theCommand}">${curl(address, token)}</pre>
    <p class="soft">${words.answerIs('{"accepted":1,"duplicates":0,"quarantined":0}')}</p>
  </section>`

/**
 * A command for a shell that sends one location. The shell inserts the present time. The command does not escape the
 * token, because a token never contains a quote.
 */
const curl = (address: string, token: string): string =>
  [
    `curl -X POST '${address}' \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d "{\\"locations\\":[{\\"captured_at\\":\\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\\",\\"lat\\":52.5208,\\"lon\\":13.4095,\\"accuracy_m\\":10}]}"`
  ].join("\n")
