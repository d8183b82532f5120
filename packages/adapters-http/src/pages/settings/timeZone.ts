import { chooseTimeZone } from "@place-access/domain/accounts"
import { TimeZone } from "@place-access/domain/shared"
import { Either, Effect, Schema } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import type { Row } from "./row.js"

const words = texts.settings.timeZone

const LABELS = { time_zone: words.field }

/** Every zone that the server's runtime supports, and the account's zone, which may be an older name of a zone. */
const zones = (present: string): ReadonlyArray<{ readonly value: string; readonly text: string }> =>
  [...new Set(["UTC", present, ...Intl.supportedValuesOf("timeZone")])]
    .sort()
    .map((value) => ({ value, text: value.replaceAll("_", " ") }))

/** The row of the time zone in the settings: the zone that the person has chosen, if any. */
export const row = (portal: string, { account: { timeZone } }: Visitor.Visitor): Row => ({
  heading: words.heading,
  text: timeZone === null ? words.unknown : words.present(timeZone.replaceAll("_", " ")),
  to: `${portal}/settings/time-zone`,
  open: words.choose
})

const page = (portal: string, visitor: Visitor.Visitor, form: Fields.Shown) =>
  Effect.gen(function* () {
    const reader = yield* Visitor.reader(visitor)
    return yield* respond({
      title: words.heading,
      reader,
      current: `${portal}/settings`,
      width: "narrow",
      status: form.problems.length === 0 ? 200 : 400,
      main: html`<p><a href="${portal}/settings">${texts.settings.title}</a></p>
        <h1>${words.heading}</h1>
        <p class="lead">${words.lead(time(reader.locale.now))}</p>
        ${Fields.problems(form, LABELS)}
        <form class="card" method="post" action="${portal}/settings/time-zone">
          ${Fields.hidden("form_token", yield* Visitor.tokenFor(visitor))}
          ${Fields.select(form, { name: "time_zone", label: words.field }, zones(form.values("time_zone")))}
          <button>${texts.settings.save}</button>
        </form>`
    })
  })

const Choice = Schema.Struct({ time_zone: TimeZone.Name })

const choose = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const choice = Form.decode(Choice, { time_zone: form.value("time_zone") })
      const present = Fields.fresh({ time_zone: visitor.account.timeZone ?? "UTC" })
      if (Either.isLeft(choice)) return yield* page(portal, visitor, { ...present, problems: choice.left })
      yield* chooseTimeZone(visitor.account.id, choice.right.time_zone)
      return seeOther(`${portal}/settings?done=zone-chosen`)
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(
      `${portal}/settings/time-zone`,
      Visitor.signedIn((visitor) =>
        page(portal, visitor, Fields.fresh({ time_zone: visitor.account.timeZone ?? "UTC" }))
      )
    ),
    Routes.post(`${portal}/settings/time-zone`, choose(portal))
  ]
}
