import { beginCodeApp, confirmCodeApp, describeFactors, Factors, pendingCodeApp } from "@place-access/domain/factors"
import { Effect, Option } from "effect"
import { renderSVG } from "uqr"
import { setupLink } from "../../factors/OneTimeCodesLive.js"
import { portalPath, type ServiceOptions } from "../../HttpOptions.js"
import * as Fields from "../kit/Fields.js"
import { Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { identityOf, respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"
import { showCodes } from "./recoveryCodes.js"

const words = texts.factors.setUp

/**
 * The page on which a person sets up an app for one-time codes. It shows the secret as a QR code, and asks for a first
 * code.
 */

const LABELS = { code: words.code }

const CODE = {
  name: "code",
  label: LABELS.code,
  hint: words.codeHint,
  autocomplete: "one-time-code",
  inputmode: "numeric",
  maxlength: 20
} as const

const pathOf = (portal: string): string => `${portal}/settings/second-factor`

const page = (portal: string, visitor: Visitor.Visitor, problems: ReadonlyArray<Fields.ShownProblem> = []) =>
  Effect.gen(function* () {
    const secret = yield* pendingCodeApp(visitor.account)
    if (Option.isNone(secret)) return seeOther(pathOf(portal))
    const token = yield* Visitor.tokenFor(visitor)
    const form: Fields.Shown = { values: () => "", problems }
    const link = setupLink(secret.value, identityOf(visitor.account))
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      status: problems.length === 0 ? 200 : 400,
      main: html`<p><a href="${pathOf(portal)}">${texts.factors.title}</a></p>
        <h1>${words.title}</h1>
        ${Fields.problems(form, LABELS)}
        <section class="card" aria-labelledby="scan">
          <h2 id="scan">${words.scan}</h2>
          <p>${words.scanText}</p>
          <div class="qr" role="img" aria-label="${words.picture}">${new Html(renderSVG(link, { border: 0 }))}</div>
          <p class="below">${words.isThisThePhone} <a class="button second" href="${link}">${words.open}</a></p>
          <h3>${words.type}</h3>
          <p><code class="breaks">${(secret.value.match(/.{1,4}/g) ?? []).join(" ")}</code></p>
        </section>
        <form method="post" action="${pathOf(portal)}/app" class="card">
          <h2>${words.show}</h2>
          ${Fields.hidden("form_token", token)} ${Fields.input(form, CODE)}
          <button>${words.switchOn}</button>
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

const WRONG: Fields.ShownProblem = { field: "code", message: words.wrong }

const confirm = (portal: string) =>
  Visitor.fresh((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      return yield* confirmCodeApp(visitor.account, form.value("code")).pipe(
        Effect.flatMap((codes) =>
          codes === null
            ? Effect.succeed(seeOther(`${pathOf(portal)}?done=code-app-added`))
            : showCodes(portal, visitor, { codes, done: texts.factors.shownOnce.codesOn })
        ),
        Effect.catchTag("WrongFactor", () => refused(portal, visitor))
      )
    })
  )

/**
 * When the person presses the button twice, the first request confirms the app, and the browser drops its answer, which
 * has the recovery codes if this is the first factor. The answer to the second request then leads to a page that says
 * how to get codes.
 */
const refused = (portal: string, visitor: Visitor.Visitor) =>
  Effect.flatMap(describeFactors(visitor.account), (factors) =>
    Factors.hasCodeApp(factors)
      ? Effect.succeed(seeOther(`${pathOf(portal)}?done=code-app-is-on`))
      : page(portal, visitor, [WRONG])
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
