import { addDevice, Device, DeviceStatus, keepAtHome, listDevices, removeDevice } from "@place-access/domain/devices"
import { DeviceId, Words } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import { quarantineWords } from "../../devices/QuarantineWords.js"
import { HttpOptions, type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { flag, type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { APPS, instructions, setUpPage } from "./deviceSetup.js"
import { notice } from "./notices.js"

const LABELS = { name: "Name", format: "The app on it" }

const Draft = Schema.Struct({ name: Device.DeviceName, format: Device.PhoneFormat })

const list = (portal: string, visitor: Visitor.Visitor, form: Fields.Shown = Fields.fresh()) =>
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
            ${appChoice(form)} <button>Add device</button>
          </form>
        </section>
        <section class="card" aria-labelledby="earlier">
          <h2 id="earlier">Where you were before</h2>
          <p>Files of GPX recorders and of Google Timeline can be added to your history.</p>
          <p class="actions">
            <a class="button second" href="${portal}/imports/new">Import a file</a>
            <a href="${portal}/imports">Imports so far</a>
          </p>
        </section>`
    })
  })

const appChoice = (form: Fields.Shown): Html =>
  html`<fieldset id="format">
    <legend>${LABELS.format}</legend>
    <p class="hint">The app that sends your location. The first four are free apps.</p>
    ${Fields.groupFault(form, "format", LABELS.format)}
    <div class="choices">${Device.PhoneFormat.literals.map((format) => appBox(form, format))}</div>
  </fieldset>`

const appBox = (form: Fields.Shown, format: Device.PhoneFormat): Html => {
  const id = `format-${format}`
  return html`<div class="choice">
    <input
      type="radio"
      name="format"
      value="${format}"
      id="${id}"
      aria-describedby="${id}-hint"
      required
      ${flag("checked", form.values("format") === format)}
    />
    <div>
      <label for="${id}">${APPS[format].name}</label>
      <p class="hint" id="${id}-hint">${APPS[format].description}</p>
    </div>
  </div>`
}

const card = (portal: string, device: Device.Device, token: string, baseUrl: string): Html =>
  html`<li class="card">
    <header>
      <h2>${device.name}</h2>
      ${badge(DeviceStatus.of(device))}
    </header>
    <dl>
      <dt>App</dt>
      <dd>${APPS[device.format].name}</dd>
      <dt>Last seen</dt>
      <dd>${device.lastSeenAt === null ? "Never" : time(device.lastSeenAt)}</dd>
      <dt>Added</dt>
      <dd>${time(device.createdAt)}</dd>
    </dl>
    ${device.putAside.length > 0 && putAside(device.putAside)} ${instructions(device, baseUrl)}
    ${home(portal, device, token)}
    <details>
      <summary>Remove ${device.name}</summary>
      <form method="post" action="${portal}/devices/${device.id}/remove">
        ${Fields.hidden("form_token", token)}
        <p>Its token stops working at once. Your history keeps what it sent. To undo this, add the device again.</p>
        <button class="danger">Remove ${device.name}</button>
      </form>
    </details>
  </li>`

const home = (portal: string, { id, name, staysAtHome }: Device.Device, token: string): Html =>
  html`<details>
    <summary>${staysAtHome ? `${name} stays at home` : `Does ${name} stay at home?`}</summary>
    <form method="post" action="${portal}/devices/${id}/home">
      ${Fields.hidden("form_token", token)} ${Fields.hidden("stays", staysAtHome ? "no" : "yes")}
      <p>
        ${
          staysAtHome
            ? "As long as another device sends your location, apps ignore where this one is."
            : "For a tablet or an old phone that you do not carry with you. As long as another device sends your location, apps ignore where this one is."
        }
      </p>
      <button class="second">${staysAtHome ? "I carry it with me" : "It stays at home"}</button>
    </form>
  </details>`

const badge = (status: DeviceStatus.DeviceStatus): Html => {
  switch (status.state) {
    case "nothing_sent":
      return html`<span class="badge warn">Sent nothing yet</span>`
    case "sending":
      return html`<span class="badge">Sending</span>`
    case "put_aside":
      return html`<span class="badge warn">${quarantineWords[status.reason].status}</span>`
  }
}

const putAside = (all: Device.Device["putAside"]): Html =>
  html`<h3>What we could not use</h3>
    <ul>
      ${all.map(
        ({ count, lastAt, reason }) =>
          html`<li>
            ${Words.count(count, "reading")}, the last one ${time(lastAt)}. ${quarantineWords[reason].explanation}
          </li>`
      )}
    </ul>`

const create = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const draft = Form.decode(Draft, { name: form.value("name"), format: form.value("format") })
      if (Either.isLeft(draft)) return yield* list(portal, visitor, Form.shown(form, draft.left))
      const { baseUrl } = yield* HttpOptions
      yield* RateOfAccount.take(RateOfAccount.CREATION, visitor.account.id)
      return yield* addDevice(visitor.account.id, draft.right).pipe(
        Effect.flatMap((added) => setUpPage(portal, visitor, added, baseUrl)),
        Effect.catchTag("Conflict", ({ reason }) =>
          list(portal, visitor, Form.shown(form, [{ field: "name", message: `cannot be added: ${reason}` }]))
        )
      )
    })
  )

const setHome = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      yield* keepAtHome(visitor.account.id, yield* param("device", DeviceId, "device"), form.value("stays") === "yes")
      return seeOther(`${portal}/devices?done=device-changed`)
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

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(
      `${portal}/devices`,
      Visitor.signedIn((visitor) => list(portal, visitor))
    ),
    Routes.post(`${portal}/devices`, create(portal)),
    Routes.post(`${portal}/devices/:device/home`, setHome(portal)),
    Routes.post(`${portal}/devices/:device/remove`, remove(portal))
  ]
}
