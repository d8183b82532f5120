import { HttpServerRequest } from "@effect/platform"
import { checkFormToken } from "@place-access/domain/accounts"
import { type App, AppLogo, AppProposal, updateApp } from "@place-access/domain/apps"
import { Effect, Either, Encoding, Stream } from "effect"
import * as Upload from "../../edge/Upload.js"
import { HttpOptions } from "../../HttpOptions.js"
import * as Credentials from "../../security/Credentials.js"
import * as Errors from "../../wire/Errors.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as AppLogoPage from "../appLogo.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"
import { appPath, DEVELOPER, ownApp } from "./shared.js"

const LABELS = { logo: "Logo" }
const MOST = `${AppLogo.MAX_BYTES / 1_024} KiB`

const page = (visitor: Visitor.Visitor, app: App.App, problems: ReadonlyArray<FieldProblem> = []) =>
  Effect.gen(function* () {
    const token = yield* Visitor.tokenFor(visitor)
    const form: Fields.Shown = { values: () => "", problems }
    const waits = app.status === "production" && app.revokedAt === null
    return respond({
      title: `Logo of ${app.name}`,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      width: "middle",
      status: problems.length === 0 ? 200 : 400,
      main: html`<p><a href="${DEVELOPER}">Your apps</a> · <a href="${appPath(app)}">${app.name}</a></p>
        <h1>Logo</h1>
        <p class="lead">
          Users see it beside the app’s name when they are asked for permission.
          ${waits && "A new logo waits for a reviewer; until then users see the one in force."}
        </p>
        ${Fields.problems(form, LABELS)} ${present(app)}
        <form class="card" method="post" action="${appPath(app)}/logo" enctype="multipart/form-data">
          ${Fields.hidden("form_token", token)}
          <div class="field">
            <label for="logo">A new logo</label>
            <p class="hint" id="logo-hint">
              A PNG file: square, ${AppLogo.MIN_SIDE_PX} to ${AppLogo.MAX_SIDE_PX} pixels wide, at most ${MOST}, not
              animated.
            </p>
            ${Fields.groupFault(form, "logo", LABELS.logo)}
            <input id="logo" name="logo" type="file" required accept="image/png" aria-describedby="logo-hint" />
          </div>
          <button>Upload</button>
        </form>
        ${
          AppProposal.wanted(app).logo !== null &&
          html`<form class="card" method="post" action="${appPath(app)}/logo/remove">
            ${Fields.hidden("form_token", token)}
            <p>Without a logo users see the name alone, from now on. To undo this, upload the logo again.</p>
            <button class="danger">Remove the logo</button>
          </form>`
        }`
    })
  })

const present = (app: App.App): Html | false => {
  const waiting = app.proposal?.logo ?? null
  return (
    (app.logo !== null || waiting !== null) &&
    html`<section class="card" aria-label="Present logo">
      <dl>
        <dt>In force</dt>
        <dd>
          ${app.logo === null ? html`<span class="soft">None</span>` : AppLogoPage.picture(app.id, app.logo, "In force")}
        </dd>
        ${
          waiting !== null &&
          html`<dt>Waits for a reviewer</dt>
            <dd>${AppLogoPage.picture(app.id, waiting, "Waits for a reviewer")}</dd>`
        }
      </dl>
    </section>`
  )
}

const show = Visitor.signedIn((visitor) => Effect.flatMap(ownApp(visitor), (app) => page(visitor, app)))

/** All bytes of a small file. */
const whole = <E>(bytes: Stream.Stream<Uint8Array, E>) =>
  Effect.gen(function* () {
    const parts: Array<Uint8Array> = []
    let size = 0
    yield* Stream.runForEach(bytes, (part) => {
      size += part.length
      parts.push(part)
      return size > AppLogo.MAX_BYTES ? Effect.fail(Errors.payloadTooLarge(AppLogo.MAX_BYTES)) : Effect.void
    })
    return Buffer.concat(parts)
  })

const isTooLarge = (error: object): boolean => "statusCode" in error && error.statusCode === 413

const receive = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const again = (message: string) =>
      Effect.flatMap(ownApp(visitor), (app) => page(visitor, app, [{ field: "logo", message }]))
    if (!/^multipart\/form-data\b/i.test(request.headers["content-type"] ?? "")) {
      yield* Visitor.checked(visitor.cookie)
      return yield* again("choose one")
    }
    yield* Credentials.checkOrigin(request, yield* HttpOptions)
    const uploaded = Upload.form(request, AppLogo.MAX_BYTES, ({ bytes, value }) =>
      Effect.gen(function* () {
        // The token is checked before the file is read: the field of the token comes before the file in the form.
        if (!(yield* checkFormToken(visitor.cookie, value("form_token"), ""))) return yield* Effect.fail(Visitor.stale)
        const app = yield* ownApp(visitor)
        const png = Form.decode(AppLogo.LogoPng, Encoding.encodeBase64(yield* whole(bytes)))
        if (Either.isLeft(png)) return yield* again(png.left[0]?.message ?? "cannot be used")
        yield* updateApp(visitor.account, app.id, { logo: png.right })
        return seeOther(`${appPath(app)}?done=app-changed`)
      })
    )
    return yield* Effect.catchAll(uploaded, (error) =>
      isTooLarge(error) ? again(`must be at most ${MOST}`) : Effect.fail(error)
    )
  })
)

const remove = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor)
    yield* updateApp(visitor.account, app.id, { logo: null })
    return seeOther(`${appPath(app)}?done=app-changed`)
  })
)

export const routes = [
  Routes.get(`${DEVELOPER}/apps/:app/logo`, show),
  Routes.post(`${DEVELOPER}/apps/:app/logo`, receive),
  Routes.post(`${DEVELOPER}/apps/:app/logo/remove`, remove)
]
