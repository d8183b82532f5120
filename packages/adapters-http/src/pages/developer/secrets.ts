import {
  type App,
  type ClientSecret,
  endPreviousClientSecrets,
  listClientSecrets,
  replaceClientSecret
} from "@place-access/domain/apps"
import { Effect } from "effect"
import * as Fields from "../kit/Fields.js"
import { type Html, html, type Value } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { appPath, DEVELOPER, ownApp } from "./shared.js"

/** The client secrets that work, with the buttons that end them. */
export const section = (app: App.App, secrets: ReadonlyArray<ClientSecret.ClientSecret>, token: string): Html | false =>
  secrets.length > 0 &&
  html`<section class="card" aria-labelledby="secrets">
    <h2 id="secrets">Client secrets that work</h2>
    <ul>
      ${secrets.map(
        ({ createdAt, expiresAt }) =>
          html`<li>
            Issued
            ${time(createdAt)}${expiresAt === null ? html` <span class="badge">Newest</span>` : html`, ends ${time(expiresAt)}`}
          </li>`
      )}
    </ul>
    ${
      secrets.length > 1 &&
      html`<details>
        <summary>End the earlier secrets now</summary>
        <form method="post" action="${appPath(app)}/secrets/end-previous">
          ${Fields.hidden("form_token", token)}
          <p>
            A server of yours that still uses one of them cannot get or refresh tokens from now on. The newest secret,
            connections and access tokens stay. This cannot be undone.
          </p>
          <button class="danger">End the earlier secrets</button>
        </form>
      </details>`
    }
    <details>
      <summary>Somebody else may have the secret</summary>
      <form method="post" action="${appPath(app)}/secrets/replace">
        ${Fields.hidden("form_token", token)}
        <p>
          You get a new secret, and every other one ends at once. Until your servers have the new one, they cannot get
          or refresh tokens. Connections and access tokens stay; an access token lives for an hour at most. This cannot
          be undone.
        </p>
        <button class="danger">Replace the secret now</button>
      </form>
    </details>
  </section>`

/** The page that shows a new secret, once. */
export const once = (
  visitor: Visitor.Visitor,
  app: App.App,
  clientSecret: string,
  { earlier, more }: { readonly earlier: string; readonly more: Value }
) =>
  Effect.map(Visitor.reader(visitor), (reader) =>
    respond({
      title: "Client secret",
      reader,
      current: DEVELOPER,
      width: "middle",
      main: html`<h1>Client secret of ${app.name}</h1>
        <div class="note warn">
          <p>
            <strong>This is shown once.</strong> Keep it on your server, never in an app that users install. ${earlier}
          </p>
        </div>
        <section class="card" aria-labelledby="secret">
          <h2 id="secret">Secret</h2>
          <code class="secret" data-testid="client-secret">${clientSecret}</code>
          <dl>
            <dt>Client id</dt>
            <dd><code>${app.id}</code></dd>
            ${more}
          </dl>
        </section>
        <p><a class="button" href="${appPath(app)}">I have kept it</a></p>`
    })
  )

const replace = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor)
    const { clientSecret } = yield* replaceClientSecret(visitor.account, app.id)
    return yield* once(visitor, app, clientSecret, { earlier: "Every other secret of the app has ended.", more: null })
  })
)

const endPrevious = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor)
    yield* endPreviousClientSecrets(visitor.account, app.id)
    return seeOther(`${appPath(app)}?done=secrets-ended`)
  })
)

/** The secrets for `section`. */
export const list = (visitor: Visitor.Visitor, app: App.App) => listClientSecrets(visitor.account, app.id)

export const routes = [
  Routes.post(`${DEVELOPER}/apps/:app/secrets/replace`, replace),
  Routes.post(`${DEVELOPER}/apps/:app/secrets/end-previous`, endPrevious)
]
