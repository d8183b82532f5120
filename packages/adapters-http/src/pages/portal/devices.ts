import { type Added, addDevice, Device, DeviceSetup, listDevices, removeDevice } from "@place-access/domain/devices"
import { DeviceId } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import { renderSVG } from "uqr"
import { HttpOptions, type Options, portalPath } from "../../HttpOptions.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "./notices.js"

const LABELS = { name: "Name", format: "What it sends" }

const FORMATS: Readonly<Record<Device.Format, string>> = { json: "JSON, as the API describes it" }

const Draft = Schema.Struct({ name: Device.Name, format: Device.Format })

const list = (portal: string, visitor: Visitor.Visitor, form: Fields.Shown = Fields.fresh({ format: "json" })) =>
  Effect.gen(function* () {
    const { baseUrl } = yield* HttpOptions
    const devices = yield* listDevices(visitor.account.id)
    const query = yield* Form.query
    const token = yield* Visitor.tokenFor(visitor)
    return respond({
      title: "Devices",
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/devices`,
      status: form.problems.length === 0 ? 200 : 400,
      main: html`<h1>Devices</h1>
        <p class="lead">
          The phones that send your location. Without one, every app that asks gets the answer “unknown”.
        </p>
        ${form.problems.length === 0 && notice(query.value("done"))} ${Fields.problems(form, LABELS)}
        ${
          devices.length === 0
            ? html`<p class="empty">No phone sends your location yet. Add the first one below.</p>`
            : html`<ul class="plain grid">
                ${devices.map((device) => card(portal, device, token, baseUrl))}
              </ul>`
        }
        <section class="card" aria-labelledby="new">
          <h2 id="new">Add a device</h2>
          <form method="post" action="${portal}/devices">
            ${Fields.hidden("form_token", token)}
            ${Fields.input(form, { name: "name", label: "Name", hint: "So that you recognise it, such as “My phone”.", maxlength: 60 })}
            ${Fields.select(
              form,
              { name: "format", label: "What it sends" },
              Device.Format.literals.map((format) => ({ value: format, text: FORMATS[format] }))
            )} <button>Add device</button>
          </form>
        </section>`
    })
  })

const card = (portal: string, device: Device.Device, token: string, baseUrl: string): Html =>
  html`<li class="card">
    <header>
      <h2>${device.name}</h2>
      ${device.lastSeenAt === null ? html`<span class="badge warn">Sent nothing yet</span>` : html`<span class="badge">Sending</span>`}
    </header>
    <dl>
      <dt>Last seen</dt>
      <dd>${device.lastSeenAt === null ? "Never" : time(device.lastSeenAt)}</dd>
      <dt>Added</dt>
      <dd>${time(device.createdAt)}</dd>
    </dl>
    ${instructions(device, baseUrl)}
    <details>
      <summary>Remove ${device.name}</summary>
      <form method="post" action="${portal}/devices/${device.id}/remove">
        ${Fields.hidden("form_token", token)}
        <p>Its token stops working at once. What it sent before stays.</p>
        <button class="danger">Remove ${device.name}</button>
      </form>
    </details>
  </li>`

/** The steps once more. Nobody can say the token again: a lost one means a new device. */
const instructions = (device: Device.Device, baseUrl: string): Html => {
  const { address, steps } = DeviceSetup.make(device, "", baseUrl)
  return html`<details>
    <summary>How to set up ${device.name}</summary>
    <p class="soft small">Address</p>
    <code class="secret">${address}</code>
    <ol>
      ${steps.map((step) => html`<li>${step}</li>`)}
    </ol>
    <p class="soft small">The token was shown once. If it is lost, add the phone again and remove this one.</p>
  </details>`
}

/** The only page that ever shows the token. */
const added = (portal: string, visitor: Visitor.Visitor, { device, setup, token }: Added) =>
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
        <section class="card" aria-labelledby="token">
          <h2 id="token">Token</h2>
          <code class="secret" data-testid="device-token">${token}</code>
          <h3>Address</h3>
          <code class="secret">${setup.address}</code>
        </section>
        <section class="card" aria-labelledby="steps">
          <h2 id="steps">Steps</h2>
          <ol>
            ${setup.steps.map((step) => html`<li>${step}</li>`)}
          </ol>
          <h3 id="qr">As a QR code</h3>
          <div class="qr" role="img" aria-labelledby="qr">${new Html(renderSVG(setup.qrText, { border: 0 }))}</div>
        </section>
        <section class="card" aria-labelledby="try">
          <h2 id="try">Try it from a terminal</h2>
          <pre class="secret">${curl(setup.address, token)}</pre>
          <p class="soft">The answer is <code>{"accepted":1,"duplicates":0,"quarantined":0}</code>.</p>
        </section>
        <p><a class="button" href="${portal}/devices">I have set it up</a></p>`
    })
  )

/** Ready to paste: the shell fills the time in. Nothing in it needs quoting: the token's alphabet has no quotes. */
const curl = (address: string, token: string): string =>
  [
    `curl -X POST '${address}' \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d "{\\"locations\\":[{\\"captured_at\\":\\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\\",\\"lat\\":52.5208,\\"lon\\":13.4095,\\"accuracy_m\\":10}]}"`
  ].join("\n")

const create = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const draft = Form.decode(Draft, { name: form.value("name"), format: form.value("format") })
      if (Either.isLeft(draft)) return yield* list(portal, visitor, Form.shown(form, draft.left))
      const { baseUrl } = yield* HttpOptions
      return yield* added(portal, visitor, yield* addDevice(visitor.account.id, draft.right, baseUrl))
    })
  )

const remove = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      yield* removeDevice(visitor.account.id, yield* param("device", DeviceId, "device"))
      return seeOther(`${portal}/devices?done=device-removed`)
    })
  )

export const routes = (options: Options) => {
  const portal = portalPath(options)
  return [
    Routes.get(
      `${portal}/devices`,
      Visitor.signedIn((visitor) => list(portal, visitor))
    ),
    Routes.post(`${portal}/devices`, create(portal)),
    Routes.post(`${portal}/devices/:device/remove`, remove(portal))
  ]
}
