import {
  type App,
  type ClientSecret,
  endPreviousClientSecrets,
  listClientSecrets,
  replaceClientSecret
} from "@place-access/domain/apps"
import { Vault } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import { texts } from "../../languages/index.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import { addOnce } from "../addOnce.js"
import type * as Form from "../kit/Form.js"
import { type Html, html, type Text, type Value } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { appPath, DEVELOPER, ownApp } from "./shared.js"

const words = texts.developer.secrets

/**
 * The section with the app's client secrets that work, and the buttons that end these secrets. False when no secret
 * works. `hidden`: the form's token and `onceField`.
 */
export const section = (app: App.App, secrets: ReadonlyArray<ClientSecret.ClientSecret>, hidden: Html): Html | false =>
  secrets.length > 0 &&
  html`<section class="card" aria-labelledby="secrets">
    <h2 id="secrets">${words.heading}</h2>
    <ul>
      ${secrets.map(
        ({ createdAt, expiresAt }) =>
          html`<li>
            ${expiresAt === null ? html`${words.issued(time(createdAt))} <span class="badge">${words.newest}</span>` : words.issuedUntil(time(createdAt), time(expiresAt))}
          </li>`
      )}
    </ul>
    ${
      secrets.length > 1 &&
      html`<details>
        <summary>${words.endEarlierNow}</summary>
        <form method="post" action="${appPath(app)}/secrets/end-previous">
          ${hidden}
          <p>${words.endEarlierText}</p>
          <button class="danger">${words.endEarlier}</button>
        </form>
      </details>`
    }
    <details>
      <summary>${words.leaked}</summary>
      <form method="post" action="${appPath(app)}/secrets/replace">
        ${hidden}
        <p>${words.replaceText}</p>
        <button class="danger">${words.replace}</button>
      </form>
    </details>
  </section>`

/**
 * The page that shows a new secret. Only the form that made the secret leads to this page. When that form is sent again
 * and the app has a newer secret, the answer leads to the page of the app.
 */
export const once = (
  visitor: Visitor.Visitor,
  app: App.App,
  clientSecret: string,
  { earlier, more }: { readonly earlier: Text | null; readonly more: Value }
) =>
  Effect.gen(function* () {
    const [newest] = yield* list(visitor, app)
    if (newest?.hash !== (yield* Vault.Vault).sha256(clientSecret)) return seeOther(appPath(app))
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      width: "middle",
      main: html`<h1>${words.titleOf(app.name)}</h1>
        <div class="note warn">
          <p><strong>${words.shownOnce}</strong> ${words.keep} ${earlier}</p>
        </div>
        <section class="card" aria-labelledby="secret">
          <h2 id="secret">${words.secret}</h2>
          <code class="secret" data-testid="client-secret">${clientSecret}</code>
          <dl>
            <dt>${texts.developer.app.clientId}</dt>
            <dd><code>${app.id}</code></dd>
            ${more}
          </dl>
        </section>
        <p><a class="button" href="${appPath(app)}">${words.kept}</a></p>`
    })
  })

/**
 * Makes a client secret, once for one form (`addOnce`). `typed`: the button, and the fields of the form. Without
 * `addOnce`, a person who reloads the page with the new secret would replace the secret again.
 */
export const makeOnce = <E, R>(
  visitor: Visitor.Visitor,
  form: Form.Form,
  typed: ReadonlyArray<string>,
  make: Effect.Effect<string, E, R>
) =>
  addOnce(visitor, form, {
    typed,
    kept: Schema.String,
    add: make,
    count: RateOfAccount.take(RateOfAccount.NEW_SECRET, visitor.account.id)
  })

const replace = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "secrets")
    const make = Effect.map(replaceClientSecret(visitor.account, app.id), (made) => made.clientSecret)
    const clientSecret = yield* makeOnce(visitor, form, ["replace-client-secret", app.id], make)
    return yield* once(visitor, app, clientSecret, { earlier: words.earlierEnded, more: null })
  })
)

const endPrevious = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "secrets")
    yield* endPreviousClientSecrets(visitor.account, app.id)
    return seeOther(`${appPath(app)}?done=client-secrets-ended`)
  })
)

/** The app's client secrets that work, for `section`. */
export const list = (visitor: Visitor.Visitor, app: App.App) => listClientSecrets(visitor.account, app.id)

export const routes = [
  Routes.post(`${DEVELOPER}/apps/:app/secrets/replace`, replace),
  Routes.post(`${DEVELOPER}/apps/:app/secrets/end-previous`, endPrevious)
]
