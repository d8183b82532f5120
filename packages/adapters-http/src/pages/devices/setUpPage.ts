import type { Added, Device } from "@place-access/domain/devices"
import { listPlaces } from "@place-access/domain/places"
import { Entropy, Timestamp } from "@place-access/domain/shared"
import type { OwnPhone } from "@place-access/domain/timeline"
import { Effect } from "effect"
import { renderSVG } from "uqr"
import * as DeviceSetup from "../../devices/DeviceSetup.js"
import { HttpOptions } from "../../HttpOptions.js"
import { Html, html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Visitor from "../kit/Visitor.js"
import { APPS } from "./apps.js"
import { arrival } from "./arrival.js"

/**
 * The setup steps, for a phone that was added earlier. The service does not store the token: if it is lost, the phone
 * has to be added again.
 */
export const instructions = (device: Pick<Device.Device, "id" | "format" | "name">, baseUrl: string): Html => {
  const { address, steps } = DeviceSetup.make(device, { token: "", baseUrl })
  return html`<details>
    <summary>How to set up ${device.name}</summary>
    <p class="soft small">Address</p>
    <code class="secret">${address}</code>
    <ol>
      ${steps.map((step) => html`<li>${step}</li>`)}
    </ol>
    <p class="soft small">
      The token and its QR code were shown once. If you have lost them, add the phone again and remove this one.
    </p>
  </details>`
}

/** The only page that ever shows the token. */
export const setUpPage = (portal: string, visitor: Visitor.Visitor, { device, setupKey, token }: Added) =>
  Effect.gen(function* () {
    const { baseUrl } = yield* HttpOptions
    const places = (yield* listPlaces(visitor.account.id)).filter(({ archivedAt }) => archivedAt === null)
    const setup = DeviceSetup.make(device, { token, baseUrl, places, setupKey })
    const now = yield* Timestamp.now
    const phone: OwnPhone = { device, silence: "never", accuracyM: null, troubles: [] }
    return respond({
      title: `Set up ${device.name}`,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/devices`,
      width: "middle",
      device: { nonce: yield* Entropy.secret },
      main: html`<h1>Set up ${device.name}</h1>
        <div class="note warn">
          <p>
            <strong>This is shown once.</strong> Set the phone up now, or keep the token in a safe place. Anybody who
            has it can send locations as you.
          </p>
        </div>
        ${device.format !== "json" && isThisMachine(setup.address) && OUT_OF_REACH}
        <section class="card" aria-labelledby="steps">
          <h2 id="steps">${APPS[device.format].name}, step by step</h2>
          <ol>
            ${setup.steps.map((step) => html`<li>${step}</li>`)}
          </ol>
          ${qrCode(setup)} ${setup.link !== null && openOnPhone(device.format, setup.link)}
        </section>
        ${arrival(`${portal}/devices/${device.id}`, phone, now)}
        <section class="card" aria-labelledby="settings">
          <h2 id="settings">${setup.link === null ? "What to fill in" : "Or fill it in by hand"}</h2>
          ${setup.settings.map((setting) => field(setting, token))}
        </section>
        ${device.format === "json" && tryIt(setup.address, token)}
        <p><a class="button" href="${portal}/devices">I have set it up</a></p>`
    })
  })

/**
 * Whether the address is this machine. People who try the service out run it at localhost, which their phone cannot
 * reach.
 */
const isThisMachine = (address: string): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(address).hostname)

const OUT_OF_REACH = html`<div class="note warn">
  <p>
    <strong>A phone cannot reach this address</strong>: localhost is this computer alone. Start the service with an
    address of your network as <code>BASE_URL</code> and with <code>HOST=0.0.0.0</code>, then add the phone again.
  </p>
</div>`

/**
 * Black on white also in dark mode, so that cameras can read it. Drawn as HTML: the page needs no image and no script.
 */
const qrCode = ({ link, qrText }: DeviceSetup.DeviceSetup): Html => {
  const holds = link === null ? "the settings below as text" : "a link that opens the app with everything filled in"
  return html`<div class="qr" role="img" aria-label="QR code. It holds ${holds}.">
    ${new Html(renderSVG(qrText, { border: 0 }))}
  </div>`
}

/** A link that this service makes itself, for the phone on which this page is open. */
const openOnPhone = (format: Device.PhoneFormat, link: string): Html =>
  html`<p class="below">Is this the phone? <a class="button second" href="${link}">Open in ${APPS[format].name}</a></p>`

const field = ({ name, value }: DeviceSetup.PhoneSetting, token: string): Html =>
  html`<h3>${name}</h3>
    <code class="secret" data-copy="${name}" ${value === token && new Html('data-testid="device-token"')}
      >${value}</code
    >`

const tryIt = (address: string, token: string): Html =>
  html`<section class="card" aria-labelledby="try">
    <h2 id="try">Try it from a terminal</h2>
    <pre class="secret" data-copy="the command">${curl(address, token)}</pre>
    <p class="soft">The answer is <code>{"accepted":1,"duplicates":0,"quarantined":0}</code>.</p>
  </section>`

/** A command to paste. The shell fills in the time. The token needs no quoting, because its alphabet has no quotes. */
const curl = (address: string, token: string): string =>
  [
    `curl -X POST '${address}' \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d "{\\"locations\\":[{\\"captured_at\\":\\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\\",\\"lat\\":52.5208,\\"lon\\":13.4095,\\"accuracy_m\\":10}]}"`
  ].join("\n")
