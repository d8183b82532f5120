import { type App, AppLogo, AppProposal, updateApp } from "@place-access/domain/apps"
import { Effect, Either, Encoding } from "effect"
import { HttpOptions } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as AppLogoPage from "../appLogo.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html, type Text } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import * as OneFile from "./oneFile.js"
import { appPath, changedPath, confirmFirst, DEVELOPER, ownApp } from "./shared.js"

const words = texts.developer.logo
const { versions, yourApps } = texts.developer

const LABELS = { logo: texts.developer.parts.logo }
const MOST_KIB = AppLogo.MAX_BYTES / 1_024

const page = (
  visitor: Visitor.Visitor,
  app: App.App,
  problems: Fields.Shown["problems"] = [],
  rejected: 400 | 409 = 400
) =>
  Effect.gen(function* () {
    const token = yield* Visitor.tokenFor(visitor)
    const form: Fields.Shown = { values: () => "", problems }
    const waits = app.status === "production" && app.revokedAt === null
    return yield* respond({
      title: words.titleOf(app.name),
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      width: "middle",
      status: problems.length === 0 ? 200 : rejected,
      main: html`<p><a href="${DEVELOPER}">${yourApps}</a> · <a href="${appPath(app)}">${app.name}</a></p>
        <h1>${words.heading}</h1>
        <p class="lead">${words.lead} ${waits && words.newWaits}</p>
        ${Fields.problems(form, LABELS)} ${present(app)}
        ${app.revokedAt === null ? forms(app, form, token) : html`<p class="soft">${texts.developer.app.revokedText(time(app.revokedAt))}</p>`}`
    })
  })

const forms = (app: App.App, form: Fields.Shown, token: string): Html =>
  html`<form class="card" method="post" action="${appPath(app)}/logo" enctype="multipart/form-data">
      ${Fields.hidden("form_token", token)}${Fields.hidden("revision", String(app.revision))}
      ${Fields.file(form, {
        name: "logo",
        label: words.newLogo,
        faultLabel: LABELS.logo,
        hint: words.hint(AppLogo.MIN_SIDE_PX, AppLogo.MAX_SIDE_PX, MOST_KIB),
        accept: "image/png"
      })}
      <button>${words.upload}</button>
    </form>
    ${
      AppProposal.wanted(app).logo !== null &&
      html`<form class="card" method="post" action="${appPath(app)}/logo/remove">
        ${Fields.hidden("form_token", token)}${Fields.hidden("revision", String(app.revision))}
        <p>${words.removeText}</p>
        <button class="danger">${words.remove}</button>
      </form>`
    }`

const present = (app: App.App): Html | false => {
  const waiting = app.proposal?.logo ?? null
  return (
    (app.logo !== null || waiting !== null) &&
    html`<section class="card" aria-label="${words.present}">
      <dl>
        <dt>${versions.inForce}</dt>
        <dd>
          ${app.logo === null ? html`<span class="soft">${texts.developer.parts.none}</span>` : AppLogoPage.picture(app.id, app.logo, versions.inForce)}
        </dd>
        ${
          waiting !== null &&
          html`<dt>${versions.waits}</dt>
            <dd>${AppLogoPage.picture(app.id, waiting, versions.waits)}</dd>`
        }
      </dl>
    </section>`
  )
}

const show = Visitor.signedIn((visitor) => Effect.flatMap(ownApp(visitor, "develop"), (app) => page(visitor, app)))

/** Saves the logo. `revision`: the app's revision, from the form. After a 409 the page shows the present logos. */
const save = (visitor: Visitor.Visitor, { id }: App.App, logo: AppLogo.LogoPng | null, revision: string) =>
  Effect.gen(function* () {
    const rule = (yield* HttpOptions).addressRule
    return yield* updateApp(visitor.account, id, { logo }, rule, Number(revision)).pipe(
      Effect.map((after) => seeOther(changedPath(after))),
      Effect.catchIf(Form.isOutdated, () =>
        Effect.flatMap(ownApp(visitor, "develop"), (now) => page(visitor, now, [Fields.OUTDATED_ANEW], 409))
      ),
      Effect.catchTag("Forbidden", confirmFirst)
    )
  })

const receive = Visitor.signedIn((visitor) => {
  const showAgain = (message: Text) =>
    Effect.flatMap(ownApp(visitor, "develop"), (app) => page(visitor, app, [{ field: "logo", message }]))
  return OneFile.receive(visitor, {
    most: AppLogo.MAX_BYTES,
    missing: showAgain(words.choose),
    tooLarge: showAgain(words.tooLarge(MOST_KIB)),
    use: (bytes, value) =>
      Effect.gen(function* () {
        const app = yield* ownApp(visitor, "develop")
        const png = Form.decode(AppLogo.LogoPng, Encoding.encodeBase64(bytes))
        if (Either.isLeft(png)) return yield* showAgain(png.left[0]?.message ?? words.cannotBeUsed)
        return yield* save(visitor, app, png.right, value("revision"))
      })
  })
})

const remove = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    return yield* save(visitor, yield* ownApp(visitor, "develop"), null, form.value("revision"))
  })
)

export const routes = [
  Routes.get(`${DEVELOPER}/apps/:app/logo`, show),
  Routes.post(`${DEVELOPER}/apps/:app/logo`, receive),
  Routes.post(`${DEVELOPER}/apps/:app/logo/remove`, remove)
]
