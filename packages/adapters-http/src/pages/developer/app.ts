import { Account } from "@place-access/domain/accounts"
import {
  App,
  AppProposal,
  RedirectUri,
  registerRedirectUris,
  submitApp,
  updateApp,
  withdrawChange
} from "@place-access/domain/apps"
import { createPurpose, listPurposes } from "@place-access/domain/purposes"
import { Scope } from "@place-access/domain/shared"
import { Effect, Either } from "effect"
import { addressRule, HttpOptions, portalPath } from "../../HttpOptions.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { pendingChange } from "./appChange.js"
import * as Apps from "./apps.js"
import * as Purposes from "./purposes.js"
import * as Secrets from "./secrets.js"
import { appHead, appPath, DEVELOPER, noteOf, ownApp } from "./shared.js"

const LABELS = {
  ...Apps.LABELS,
  ...Purposes.LABELS,
  redirect_uris: "Redirect URIs"
}

/** The form of the page that was rejected and is shown again. */
interface RejectedForm {
  readonly which: "app" | "redirects" | "purpose"
  readonly form: Fields.Shown
  readonly ticked: ReadonlyArray<string>
}

const overview = (visitor: Visitor.Visitor, app: App.App, again?: RejectedForm) =>
  Effect.gen(function* () {
    const { authUrl } = yield* HttpOptions
    const purposes = yield* listPurposes(visitor.account, app.id)
    const query = yield* Form.query
    const token = yield* Visitor.tokenFor(visitor)
    const shown = (which: RejectedForm["which"], otherwise: Readonly<Record<string, string>>) =>
      again?.which === which ? again.form : Fields.fresh(otherwise)
    const path = appPath(app)
    const wanted = AppProposal.wanted(app)
    return respond({
      title: app.name,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      status: again === undefined ? 200 : 400,
      main: html`${appHead(app, "")} ${again === undefined && notice(query.value("done"))}
        ${again !== undefined && Fields.problems(again.form, LABELS)}
        ${app.redirectUris.length === 0 && html`<div class="note"><p>Next: register the addresses to which users return. That also gives you the client secret.</p></div>`}
        ${standing(app, token)}
        <section class="card" aria-labelledby="credentials">
          <h2 id="credentials">Credentials</h2>
          <dl>
            <dt>Client id</dt>
            <dd><code>${app.id}</code></dd>
            <dt>Client secret</dt>
            <dd>
              Shown once, when redirect URIs are registered. Registering again gives a new one; the old one works for
              another 24 hours.
            </dd>
          </dl>
          <form method="post" action="${path}/redirect-uris">
            ${Fields.hidden("form_token", token)}
            ${Fields.textarea(shown("redirects", { redirect_uris: wanted.redirectUris.join("\n") }), {
              name: "redirect_uris",
              label: "Redirect URIs",
              hint: "One per line. Users return to exactly these addresses: https, http on localhost, or a private scheme such as com.example.app:/back."
            })}
            <button>Register and issue a secret</button>
          </form>
        </section>
        ${Secrets.section(app, yield* Secrets.list(visitor, app), token)}
        ${
          app.revokedAt === null && app.redirectUris[0] !== undefined && authorizeUrl(app, app.redirectUris[0], authUrl)
        }
        ${Purposes.section(
          app,
          purposes,
          token,
          shown("purpose", { expected_daily_volume: "100" }),
          again?.which === "purpose" ? again.ticked : []
        )}
        <section class="card" aria-labelledby="change">
          <h2 id="change">About the app</h2>
          <p><a href="${path}/logo">${wanted.logo === null ? "Add a logo" : "Change the logo"}</a></p>
          <form method="post" action="${path}">
            ${Fields.hidden("form_token", token)}
            ${Apps.fields(
              shown("app", {
                name: wanted.name,
                description: wanted.description,
                homepage_url: wanted.homepageUrl ?? ""
              }),
              again?.which === "app" ? again.ticked : wanted.scopes
            )} <button class="second">Save</button>
          </form>
        </section>`
    })
  })

const authorizeUrl = (app: App.App, redirectUri: string, authUrl: string): Html => {
  const query = new URLSearchParams({
    client_id: app.id,
    redirect_uri: redirectUri,
    scope: App.scopes(app)
      .filter((scope) => !Scope.isSensitive(scope))
      .join(" "),
    code_challenge: "CODE_CHALLENGE",
    code_challenge_method: "S256",
    state: "STATE"
  })
  return html`<section class="card" aria-labelledby="authorize">
    <h2 id="authorize">Authorize address</h2>
    <p>
      Send your user’s browser here. Put the SHA-256 of a fresh verifier (base64url) in place of
      <code>CODE_CHALLENGE</code>, and 8 to 512 characters nobody can guess in place of <code>STATE</code>.
    </p>
    <div class="field">
      <label for="authorize-url">Address to copy</label
      ><textarea class="code" id="authorize-url" readonly>${authUrl}/authorize?${query.toString()}</textarea>
    </div>
  </section>`
}

/** The status of the app between sandbox and production, the reviewer's note, and the next step. */
const standing = (app: App.App, token: string): Html =>
  html`<section class="card" aria-labelledby="standing">
    <h2 id="standing">${app.revokedAt === null ? STANDING[app.status].title : "Revoked"}</h2>
    <p>
      ${
        app.revokedAt === null
          ? STANDING[app.status].text
          : html`An admin revoked the app ${time(app.revokedAt)}, which is final. Its tokens and client secrets do not
            work, and its users are disconnected.`
      }
      ${app.submission !== null && app.proposal === null && html`It waits since ${time(app.submission.at)}.`}
    </p>
    ${
      app.submission !== null &&
      app.proposal !== null &&
      html`<h3>Changes that wait for review</h3>
        <p>
          They wait since ${time(app.submission.at)}. You get a mail when a reviewer has decided. Until then users see
          what is in force.
        </p>
        ${pendingChange(app)}
        <p>
          If you withdraw the changes, the approved version stays in force. To withdraw one part, set it back in the
          forms below.
        </p>
        <form method="post" action="${appPath(app)}/withdraw">
          ${Fields.hidden("form_token", token)}<button class="second">Withdraw these changes</button>
        </form>`
    }
    ${noteOf(app.reviewNote, app.status === "sandbox" || app.revokedAt !== null)}
    ${
      app.allowedScopes !== null &&
      html`<div class="note warn">
        <p>
          <strong>An admin narrowed the app.</strong> Of the scopes that you declare it can use, for live tokens too:
        </p>
        ${
          App.scopes(app).length === 0
            ? html`<p>none</p>`
            : html`<ul>
                ${App.scopes(app).map((scope) => html`<li><code>${scope}</code></li>`)}
              </ul>`
        }
      </div>`
    }
    ${
      app.revokedAt === null &&
      app.status === "sandbox" &&
      html`<form method="post" action="${appPath(app)}/submit">
        ${Fields.hidden("form_token", token)}<button>Submit the app for review</button>
      </form>`
    }
  </section>`

const STANDING: Readonly<Record<App.AppStatus, { readonly title: string; readonly text: string }>> = {
  sandbox: {
    title: "In the sandbox",
    text: "Only you can connect the app. Submit it when it is ready: a reviewer looks at its name, description, web page, logo and scopes. Purposes are reviewed separately."
  },
  in_review: {
    title: "In review",
    text: "A reviewer looks at the app. You get an e-mail with the decision. Until then only you can connect it, and you cannot add scopes."
  },
  production: {
    title: "In production",
    text: "Everybody can connect the app. You can change it at any time. A new name, description, web page, logo, scope or redirect URI on a new host waits for a reviewer; until then the approved version stays in force."
  }
}

const show = Visitor.signedIn((visitor) => Effect.flatMap(ownApp(visitor), (app) => overview(visitor, app)))

const change = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor)
    const again = (problems: ReadonlyArray<FieldProblem>) =>
      overview(visitor, app, { which: "app", form: Form.shown(form, problems), ticked: form.all("scopes") })
    const draft = Form.decode(Apps.Draft, Apps.typed(form))
    if (Either.isLeft(draft)) return yield* again(draft.left)
    const { description, homepage_url: homepageUrl, name, scopes } = draft.right
    return yield* updateApp(visitor.account, app.id, { name, description, homepageUrl, scopes }).pipe(
      Effect.as(seeOther(`${appPath(app)}?done=app-changed`)),
      Effect.catchTag("Conflict", ({ reason }) =>
        again([{ field: "scopes", message: `cannot be changed like this: ${reason}` }])
      )
    )
  })
)

const register = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor)
    const lines = form
      .value("redirect_uris")
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== "")
    const uris = Form.decode(RedirectUri.List, lines)
    if (Either.isLeft(uris)) {
      const problems = uris.left.map(({ field, message }) => ({
        field: "redirect_uris",
        message: `${lineOf(field)}${message}`
      }))
      return yield* overview(visitor, app, { which: "redirects", form: Form.shown(form, problems), ticked: [] })
    }
    const registered = yield* Effect.either(registerRedirectUris(visitor.account, app.id, uris.right))
    if (Either.isLeft(registered)) {
      const error = registered.left
      if (error._tag !== "Conflict") return yield* error
      const problems = [{ field: "redirect_uris", message: `cannot be registered: ${error.reason}` }]
      return yield* overview(visitor, app, { which: "redirects", form: Form.shown(form, problems), ticked: [] })
    }
    const { app: after, clientSecret } = registered.right
    const pending = AppProposal.pendingRedirectUris(after)
    return yield* Secrets.once(visitor, app, clientSecret, {
      earlier: "The secret before it works for another 24 hours.",
      more: html`<dt>Redirect URIs</dt>
        <dd>${after.redirectUris.map((uri) => html`<code>${uri}</code> `)}</dd>
        ${
          pending.length > 0 &&
          html`<dt>Waits for a reviewer</dt>
            <dd>
              ${pending.map((uri) => html`<code>${uri}</code> `)}<br />We send no user there until a reviewer approves
              it.
            </dd>`
        }`
    })
  })
)

/** The line of an entry in a list: `[2]` becomes `in line 3 `, as on the page. */
const lineOf = (field: string): string => {
  const index = /^\[(\d+)\]$/.exec(field)?.[1]
  return index === undefined ? "" : `in line ${Number(index) + 1} `
}

const addPurpose = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor)
    const ticked = form.all("purpose_scopes")
    const again = (problems: ReadonlyArray<FieldProblem>) =>
      overview(visitor, app, { which: "purpose", form: Form.shown(form, problems), ticked })
    const draft = Form.decode(Purposes.Draft, Purposes.typed(form))
    if (Either.isLeft(draft)) return yield* again(draft.left)
    const { key, ...terms } = draft.right
    yield* RateOfAccount.take(RateOfAccount.CREATION, visitor.account.id)
    return yield* createPurpose(visitor.account, app.id, { key, terms: Purposes.toTerms(terms) }).pipe(
      Effect.as(seeOther(`${appPath(app)}?done=purpose-created`)),
      Effect.catchTags({
        Invalid: ({ problems }) => again(Purposes.undeclared(problems)),
        Conflict: ({ reason }) => again([{ field: "key", message: `cannot be used: ${reason}` }])
      })
    )
  })
)

const submit = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor)
    const options = yield* HttpOptions
    if (!Account.countsAsConfirmed(visitor.account, addressRule(options))) {
      return seeOther(`${portalPath(options)}/settings/email`)
    }
    return yield* submitApp(visitor.account, app.id).pipe(
      Effect.as(seeOther(`${appPath(app)}?done=app-submitted`)),
      // The button was pressed twice, or somebody else was faster: the page shows the present status.
      Effect.catchTag("Conflict", () => Effect.succeed(seeOther(appPath(app))))
    )
  })
)

const withdraw = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor)
    return yield* withdrawChange(visitor.account, app.id).pipe(
      Effect.as(seeOther(`${appPath(app)}?done=change-withdrawn`)),
      // The button was pressed twice, or a reviewer was faster: the page shows the present status.
      Effect.catchTag("Conflict", () => Effect.succeed(seeOther(appPath(app))))
    )
  })
)

export const routes = [
  Routes.get(`${DEVELOPER}/apps/:app`, show),
  Routes.post(`${DEVELOPER}/apps/:app`, change),
  Routes.post(`${DEVELOPER}/apps/:app/redirect-uris`, register),
  Routes.post(`${DEVELOPER}/apps/:app/submit`, submit),
  Routes.post(`${DEVELOPER}/apps/:app/withdraw`, withdraw),
  Routes.post(`${DEVELOPER}/apps/:app/purposes`, addPurpose)
]
