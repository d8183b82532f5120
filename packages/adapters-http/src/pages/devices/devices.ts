import { HttpServerRequest } from "@effect/platform"
import { addDevice, Device, keepAtHome, listDevices, removeDevice } from "@place-access/domain/devices"
import { DeviceId, Entropy, type Timestamp } from "@place-access/domain/shared"
import { type OwnPhone, readPhones, readSending } from "@place-access/domain/timeline"
import { Effect, Either, Schema } from "effect"
import { HttpOptions, type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import * as Errors from "../../wire/Errors.js"
import { addOnce } from "../addOnce.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { forScript, texts, textsIn } from "../../languages/index.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Removal from "../kit/Removal.js"
import * as Routes from "../kit/Routes.js"
import { count, ofDomain, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { arrival, badge, lastSeen, troubles, wholeMetres } from "./arrival.js"
import { appChoice, kindChoice, kindOf } from "./apps.js"
import { instructions, setUpPage } from "./setUpPage.js"
import { section as sendingSection } from "./sending.js"
import { sharePath } from "./share.js"

const words = texts.devices

const Draft = Schema.Struct({ name: Device.DeviceName, format: Device.PhoneFormat })

const list = (portal: string, visitor: Visitor.Visitor, form: Fields.Shown = Fields.fresh()) =>
  Effect.gen(function* () {
    const { baseUrl } = yield* HttpOptions
    const { now, phones } = yield* readPhones(visitor.account.id)
    const query = yield* Form.query
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const known = kindOf(form.values("phone") || query.value("phone"), headers["user-agent"])
    // When a form with mistakes is shown again, it must offer apps. If neither the form nor the browser names the kind
    // of phone, it offers the apps for Android.
    const kind = known ?? (form.problems.length === 0 ? null : "android")
    const token = yield* Visitor.tokenFor(visitor)
    const reader = yield* Visitor.reader(visitor)
    // A new form proposes a name for the phone, in the reader's language.
    const isFresh = form.values("phone") === ""
    const names = textsIn(reader.locale.language).devices.add.names
    const draft = isFresh && kind !== null ? Fields.fresh({ name: proposed(names[kind], phones) }) : form
    return yield* respond({
      title: words.title,
      reader,
      current: `${portal}/devices`,
      status: form.problems.length === 0 ? 200 : 400,
      main: html`<h1>${words.title}</h1>
        <p class="lead">${words.lead}</p>
        ${form.problems.length === 0 && notice(query.value("done"))} ${Fields.problems(form, words.labels)}
        ${
          phones.length === 0
            ? html`<p class="empty">${words.none}</p>`
            : html`<ul class="plain grid">
                ${phones.map((phone) => card(portal, phone, token, { baseUrl, now }))}
              </ul>`
        }
        <section class="card" aria-labelledby="new">
          <h2 id="new">${words.add.heading}</h2>
          ${kindChoice(`${portal}/devices`, sharePath(portal), kind)}
          ${
            kind !== null &&
            html`<form method="post" action="${portal}/devices">
              ${yield* Visitor.tokenFields(visitor)} ${yield* Visitor.onceField} ${Fields.hidden("phone", kind)}
              ${Fields.input(draft, { name: "name", label: words.labels.name, hint: words.add.nameHint, maxlength: 60 })}
              ${appChoice(form, kind)} <button>${words.add.button}</button>
            </form>`
          }
        </section>
        <section class="card" aria-labelledby="earlier">
          <h2 id="earlier">${words.earlier.heading}</h2>
          <p>${words.earlier.text}</p>
          <p class="actions">
            <a class="button second" href="${portal}/imports/new">${words.earlier.button}</a>
            <a href="${portal}/imports">${words.earlier.soFar}</a>
          </p>
        </section>`
    })
  })

/** The first of the names `My iPhone`, `My iPhone 2`, … that no device of the person has. */
const proposed = (name: string, phones: ReadonlyArray<OwnPhone>): string => {
  const taken = new Set<string>(phones.map(({ device }) => device.name))
  const names = [name, ...Array.from({ length: phones.length }, (_, index) => `${name} ${index + 2}`)]
  return names.find((one) => !taken.has(one)) ?? name
}

const howTo = (portal: string, device: Device.Device, baseUrl: string): Html =>
  Device.PROPERTIES[device.format].sender === "page"
    ? html`<p><a href="${sharePath(portal)}">${texts.setUp.share.title}</a></p>`
    : instructions(device, baseUrl)

interface Around {
  readonly baseUrl: string
  readonly now: Timestamp.Timestamp
}

const card = (portal: string, phone: OwnPhone, token: string, { baseUrl, now }: Around): Html => {
  const { device } = phone
  const metres = wholeMetres(phone.accuracyM)
  return html`<li class="card">
    <header>
      <h2><a href="${portal}/devices/${device.id}">${device.name}</a></h2>
      ${badge(phone)}
    </header>
    <dl>
      <dt>${words.card.app}</dt>
      <dd>${words.apps[device.format].name}</dd>
      <dt>${words.card.lastSeen}</dt>
      <dd>${lastSeen(phone, now)}</dd>
      ${
        metres !== null &&
        html`<dt>${words.card.accuracy}</dt>
          <dd>±${count(metres)} m</dd>`
      }
      <dt>${words.card.added}</dt>
      <dd>${time(device.createdAt)}</dd>
    </dl>
    ${troubles(phone, baseUrl)} ${device.putAside.length > 0 && putAside(device.putAside)}
    ${howTo(portal, device, baseUrl)} ${home(portal, device, token)}
    <details>
      <summary>${words.card.remove(device.name)}</summary>
      <form method="post" action="${portal}/devices/${device.id}/remove">
        ${Fields.hidden("form_token", token)}
        <p>${words.card.removeText}</p>
        <button class="danger">${words.card.remove(device.name)}</button>
      </form>
    </details>
  </li>`
}

const home = (portal: string, { id, name, staysAtHome }: Device.Device, token: string): Html =>
  html`<details>
    <summary>${staysAtHome ? words.home.stays(name) : words.home.question(name)}</summary>
    <form method="post" action="${portal}/devices/${id}/home">
      ${Fields.hidden("form_token", token)} ${Fields.hidden("stays", staysAtHome ? "no" : "yes")}
      <p>${staysAtHome ? words.home.staysText : words.home.questionText}</p>
      <button class="second">${staysAtHome ? words.home.carry : words.home.yes}</button>
    </form>
  </details>`

const putAside = (all: Device.Device["putAside"]): Html =>
  html`<h3>${words.putAside.heading}</h3>
    <ul>
      ${all.map(
        ({ count, lastAt, reason }) =>
          html`<li>${words.putAside.readings(count, time(lastAt))} ${words.quarantine[reason].explanation}</li>`
      )}
    </ul>`

/**
 * The page of one device. It says whether the device works, and what to do when it does not. The script of the set-up
 * page polls this page, and so does the script of this page itself.
 */
const show = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const id = yield* param("device", DeviceId, "device")
      const { baseUrl } = yield* HttpOptions
      const { now, phones } = yield* readPhones(visitor.account.id)
      const phone = phones.find(({ device }) => device.id === id)
      if (phone === undefined) return yield* Effect.fail(Errors.notFound("device"))
      const { device } = phone
      const sending = yield* readSending(visitor.account.id, id)
      return yield* respond({
        title: device.name,
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/devices`,
        width: "middle",
        device: { nonce: yield* Entropy.nonce, texts: forScript(({ setUp }) => setUp.copyScript) },
        main: html`<p><a href="${portal}/devices">${words.title}</a></p>
          <h1>${device.name}</h1>
          <p>${badge(phone)} <span class="soft">${words.apps[device.format].name}</span></p>
          ${arrival(`${portal}/devices/${id}`, phone, now)} ${troubles(phone, baseUrl)}
          ${device.putAside.length > 0 && putAside(device.putAside)}
          ${device.lastSeenAt !== null && sendingSection(sending, device.format)} ${howTo(portal, device, baseUrl)}`
      })
    })
  )

/**
 * What `addOnce` stores about a new device. When the browser sends the same form again, the service makes the same
 * answer from these values and adds no second device.
 */
const Kept = Schema.Struct({
  device: Schema.Struct({ id: DeviceId }),
  token: Schema.String,
  setupKey: Schema.NullOr(Schema.String)
})

const create = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const draft = Form.decode(Draft, { name: form.value("name"), format: form.value("format") })
      if (Either.isLeft(draft)) return yield* list(portal, visitor, Form.shown(form, draft.left))
      const count = RateOfAccount.take(RateOfAccount.CREATION, visitor.account.id)
      const add = addDevice(visitor.account.id, draft.right)
      return yield* addOnce(visitor, form, { typed: draft.right, kept: Kept, add, count }).pipe(
        Effect.flatMap(({ device: { id }, setupKey, token }) =>
          Effect.gen(function* () {
            const device = (yield* listDevices(visitor.account.id)).find((one) => one.id === id)
            // `device` is undefined when the browser sends the form again after the device was removed.
            return device === undefined
              ? seeOther(`${portal}/devices`)
              : yield* setUpPage(portal, visitor, { device, setupKey, token })
          })
        ),
        Effect.catchTag("Conflict", ({ reason }) =>
          list(
            portal,
            visitor,
            Form.shown(form, [{ field: "name", message: words.add.cannotBeAdded(ofDomain(reason)) }])
          )
        )
      )
    }).pipe(Visitor.showingAgain(visitor, (form) => list(portal, visitor, form)))
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
      const id = yield* param("device", DeviceId, "device")
      yield* Removal.once("device", removeDevice(visitor.account.id, id))
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
    Routes.get(`${portal}/devices/:device`, show(portal)),
    Routes.post(`${portal}/devices/:device/home`, setHome(portal)),
    Routes.post(`${portal}/devices/:device/remove`, remove(portal))
  ]
}
