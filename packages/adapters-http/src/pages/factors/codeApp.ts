import { beginCodeApp, confirmCodeApp, pendingCodeApp } from "@place-access/domain/factors"
import { Effect, Option } from "effect"
import { renderSVG } from "uqr"
import { setupLink } from "../../factors/OneTimeCodesLive.js"
import { portalPath, type ServiceOptions } from "../../HttpOptions.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import { Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"
import { showCodes } from "./recoveryCodes.js"

/** Setting up an app for one-time codes: its secret as a QR code, then a first code. */

const LABELS = { code: "The code that the app shows" }

const CODE = {
  name: "code",
  label: LABELS.code,
  hint: "Six digits. Until you send them, nothing changes.",
  autocomplete: "one-time-code",
  inputmode: "numeric",
  maxlength: 20
} as const

const pathOf = (portal: string): string => `${portal}/settings/second-factor`

const page = (portal: string, visitor: Visitor.Visitor, problems: ReadonlyArray<FieldProblem> = []) =>
  Effect.gen(function* () {
    const secret = yield* pendingCodeApp(visitor.account)
    if (Option.isNone(secret)) return seeOther(pathOf(portal))
    const token = yield* Visitor.tokenFor(visitor)
    const form: Fields.Shown = { values: () => "", problems }
    const link = setupLink(secret.value, visitor.account.email)
    return respond({
      title: "Set up one-time codes",
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      status: problems.length === 0 ? 200 : 400,
      main: html`<p><a href="${pathOf(portal)}">Your second factor</a></p>
        <h1>Set up one-time codes</h1>
        ${Fields.problems(form, LABELS)}
        <section class="card" aria-labelledby="scan">
          <h2 id="scan">1. Give our secret to the app</h2>
          <p>Scan this picture with an app for one-time codes on your phone.</p>
          <div class="qr" role="img" aria-label="QR code. It holds the secret below.">
            ${new Html(renderSVG(link, { border: 0 }))}
          </div>
          <p class="below">Is this the phone? <a class="button second" href="${link}">Open in the app</a></p>
          <h3>Or type it in</h3>
          <p><code class="breaks">${(secret.value.match(/.{1,4}/g) ?? []).join(" ")}</code></p>
        </section>
        <form method="post" action="${pathOf(portal)}/app" class="card">
          <h2>2. Show us that it works</h2>
          ${Fields.hidden("form_token", token)} ${Fields.input(form, CODE)}
          <button>Switch on one-time codes</button>
        </form>`
    })
  })

const begin = (portal: string) =>
  Visitor.fresh((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      yield* beginCodeApp(visitor.account)
      return seeOther(`${pathOf(portal)}/app`)
    })
  )

const WRONG: FieldProblem = {
  field: "code",
  message: "is not the one of this moment. Wait for the next one, and check the clock of your phone"
}

const confirm = (portal: string) =>
  Visitor.fresh((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      return yield* confirmCodeApp(visitor.account, form.value("code")).pipe(
        Effect.flatMap((codes) =>
          codes === null
            ? Effect.succeed(seeOther(`${pathOf(portal)}?done=code-app-added`))
            : showCodes(portal, visitor, { codes, done: "One-time codes are on" })
        ),
        Effect.catchTag("WrongFactor", () => page(portal, visitor, [WRONG]))
      )
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  const path = pathOf(portal)
  return [
    Routes.post(`${path}/app/begin`, begin(portal)),
    Routes.get(
      `${path}/app`,
      Visitor.fresh((visitor) => page(portal, visitor))
    ),
    Routes.post(`${path}/app`, confirm(portal))
  ]
}
