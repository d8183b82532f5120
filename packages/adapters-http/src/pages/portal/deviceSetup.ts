import { type Added, type Device, DeviceSetup } from "@place-access/domain/devices"
import { Effect } from "effect"
import { renderSVG } from "uqr"
import { Html, html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Visitor from "../kit/Visitor.js"

/** In the order in which they are offered. */
export const APPS: Readonly<Record<Device.Format, { readonly name: string; readonly description: string }>> = {
  overland: {
    name: "Overland",
    description: "For iPhones. The only one that also reports when you arrive and leave, which makes visits exact."
  },
  owntracks: {
    name: "OwnTracks",
    description: "For iPhones and Android phones. Sends when you move, and is gentle to the battery."
  },
  osmand: {
    name: "Traccar Client or OsmAnd",
    description: "For iPhones and Android phones. Sends in steady intervals; OsmAnd while you use it as your map."
  },
  gpslogger: {
    name: "GPSLogger",
    description: "For Android phones. For those who like to set every detail."
  },
  json: {
    name: "A program of your own",
    description: "Sends JSON, as the API describes it."
  }
}

/** The steps once more. Nobody can say the token again: a lost one means a new device. */
export const instructions = (device: Device.Device, baseUrl: string): Html => {
  const { address, steps } = DeviceSetup.make(device, "", baseUrl)
  return html`<details>
    <summary>How to set up ${device.name}</summary>
    <p class="soft small">Address</p>
    <code class="secret">${address}</code>
    <ol>
      ${steps.map((step) => html`<li>${step}</li>`)}
    </ol>
    <p class="soft small">
      The token, and the QR code that has it, were shown once. If they are lost, add the phone again and remove this
      one.
    </p>
  </details>`
}

/** The only page that ever shows the token. */
export const setUpPage = (portal: string, visitor: Visitor.Visitor, { device, setup, token }: Added) =>
  Effect.map(Visitor.reader(visitor), (reader) =>
    respond({
      title: `Set up ${device.name}`,
      reader,
      current: `${portal}/devices`,
      width: "middle",
      main: html`<h1>Set up ${device.name}</h1>
        <div class="note warn">
          <p>
            <strong>This is shown once.</strong> Set the phone up now, or keep the token in a safe place. Whoever has it
            can send locations as you.
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
        <section class="card" aria-labelledby="settings">
          <h2 id="settings">${setup.link === null ? "What to fill in" : "Or fill it in by hand"}</h2>
          ${setup.settings.map((setting) => field(setting, token))}
        </section>
        ${device.format === "json" && tryIt(setup.address, token)}
        <p><a class="button" href="${portal}/devices">I have set it up</a></p>`
    })
  )

/** Who tries the service out runs it at localhost, and would wait in vain for what the phone sends. */
const isThisMachine = (address: string): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(address).hostname)

const OUT_OF_REACH = html`<div class="note warn">
  <p>
    <strong>A phone cannot reach this address</strong>: localhost is this computer alone. Start the service with an
    address of your network as <code>BASE_URL</code> and with <code>HOST=0.0.0.0</code>, then add the phone again.
  </p>
</div>`

/** Black on white in the dark too, and drawn here: no picture is fetched and no script runs. */
const qrCode = ({ link, qrText }: DeviceSetup.DeviceSetup): Html => {
  const holds = link === null ? "the settings below as text" : "a link that opens the app with everything filled in"
  return html`<div class="qr" role="img" aria-label="QR code. It holds ${holds}.">
    ${new Html(renderSVG(qrText, { border: 0 }))}
  </div>`
}

/** The link is of our own making, for the phone that this page is open on. */
const openOnPhone = (format: Device.Format, link: string): Html =>
  html`<p class="below">Is this the phone? <a class="button second" href="${link}">Open in ${APPS[format].name}</a></p>`

const field = ({ name, value }: DeviceSetup.Setting, token: string): Html =>
  html`<h3>${name}</h3>
    <code class="secret" ${value === token && new Html('data-testid="device-token"')}>${value}</code>`

const tryIt = (address: string, token: string): Html =>
  html`<section class="card" aria-labelledby="try">
    <h2 id="try">Try it from a terminal</h2>
    <pre class="secret">${curl(address, token)}</pre>
    <p class="soft">The answer is <code>{"accepted":1,"duplicates":0,"quarantined":0}</code>.</p>
  </section>`

/** Ready to paste: the shell fills the time in. Nothing in it needs quoting: the token's alphabet has no quotes. */
const curl = (address: string, token: string): string =>
  [
    `curl -X POST '${address}' \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d "{\\"locations\\":[{\\"captured_at\\":\\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\\",\\"lat\\":52.5208,\\"lon\\":13.4095,\\"accuracy_m\\":10}]}"`
  ].join("\n")
