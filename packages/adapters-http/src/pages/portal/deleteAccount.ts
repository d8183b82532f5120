import { AccountDeletion, deleteAccount, describeDeletion } from "@place-access/domain/deletions"
import { Words } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import { HttpOptions, type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Browser from "../../security/Browser.js"
import * as Credentials from "../../security/Credentials.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as PasswordAsked from "./PasswordAsked.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"

const LABELS = { password: "Password", word: "The word" }

/** The user types this word to confirm, so that nobody deletes an account by mistake. */
const WORD = "delete"

const page = (portal: string, visitor: Visitor.Visitor, again = PasswordAsked.FIRST_TIME) =>
  Effect.gen(function* () {
    const { apps, isLastAdmin } = yield* describeDeletion(visitor.account)
    const token = yield* Visitor.tokenFor(visitor)
    const form: Fields.Shown = { values: () => "", problems: again.problems }
    return respond({
      title: "Delete your account",
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      status: again.status,
      headers: again.headers ?? {},
      main: html`<p><a href="${portal}/settings">Settings</a></p>
        <h1>Delete your account</h1>
        <p class="lead">This deletes ${visitor.account.email} and everything in it, at once. It cannot be undone.</p>
        ${Fields.problems(form, LABELS)}
        <section class="card" aria-labelledby="goes">
          <h2 id="goes">What will be removed</h2>
          <ul>
            <li>
              Every app is disconnected at that moment: its tokens are dead, its rules stop, and what waits to be sent
              is not.
            </li>
            <li>Your phones can send nothing more, and you are signed out everywhere.</li>
            <li>
              Your places, your whole history, visits, imported files, your access log, messages to you, and your name,
              address and password are removed within minutes. The last traces, of requests that were under way, are
              gone a day later.
            </li>
          </ul>
        </section>
        ${apps.length > 0 && owned(apps)}
        <section class="card" aria-labelledby="stays">
          <h2 id="stays">What stays</h2>
          <ul>
            <li>Apps keep what they learned about you before. Ask them to delete it.</li>
            ${
              visitor.account.roles.some((role) => role !== "developer") &&
              html`<li>
                Decisions that you made as a reviewer or admin stay, with “${AccountDeletion.NOBODY.displayName}” in
                place of your name.
              </li>`
            }
            <li>Backups of this service, if there are any, until those who run it throw them away.</li>
          </ul>
          <p>
            One e-mail tells you that it happened; then your address is forgotten. You can make a new account with it at
            any time.
          </p>
        </section>
        ${isLastAdmin ? lastAdmin : confirmation(portal, form, token)}`
    })
  })

const owned = (apps: ReadonlyArray<AccountDeletion.OwnedApp>): Html =>
  html`<section class="card" aria-labelledby="apps">
    <h2 id="apps">Your apps</h2>
    <p>
      They end with your account: revoked, without secrets, redirect URIs and webhook endpoints. The people who use them
      are disconnected.
    </p>
    <ul>
      ${apps.map(
        ({ app, people }) =>
          html`<li>
            <strong>${app.name}</strong>:
            ${
              AccountDeletion.goesEntirely(app)
                ? "only you could connect it; it is removed entirely"
                : people === 0
                  ? "nobody uses it now; its name, description and purposes stay readable for those who did"
                  : `${Words.count(people, "person uses", "people use")} it now; its name, description and purposes stay readable for them`
            }
          </li>`
      )}
    </ul>
  </section>`

const lastAdmin = html`<div class="note warn">
  <p>
    <strong>You are the only admin.</strong> The service needs another one before you can go: an operator makes one with
    the server's command.
  </p>
</div>`

const confirmation = (portal: string, form: Fields.Shown, token: string): Html =>
  html`<form method="post" action="${portal}/settings/delete-account" class="card">
    ${Fields.hidden("form_token", token)}
    ${Fields.input(form, { name: "password", label: "Password", type: "password", autocomplete: "current-password" })}
    ${Fields.input(form, { name: "word", label: "The word", hint: html`Type <strong>${WORD}</strong>.`, maxlength: 20 })}
    <button class="stop">Delete my account for good</button>
  </form>`

const Confirmed = Schema.Struct({
  password: PasswordAsked.Given,
  word: Schema.String.pipe(
    Schema.filter((text) => text.trim().toLowerCase() === WORD, { message: () => `must be “${WORD}”` })
  )
})

const remove = (portal: string) =>
  Visitor.freshWithFactor((visitor) =>
    Effect.gen(function* () {
      const options = yield* HttpOptions
      const form = yield* Visitor.checked(visitor.cookie)
      const confirmed = Form.decode(Confirmed, { password: form.value("password"), word: form.value("word") })
      if (Either.isLeft(confirmed)) return yield* page(portal, visitor, { problems: confirmed.left, status: 400 })
      const { password } = confirmed.right
      return yield* deleteAccount(visitor.account, { password, ...(yield* Browser.attempt) }).pipe(
        Effect.as(Credentials.clearSession(seeOther("/account-deleted"), options)),
        Effect.catchTags({
          ...PasswordAsked.refusals((rejected) => page(portal, visitor, rejected)),
          Conflict: () => page(portal, visitor, { problems: [], status: 409 })
        })
      )
    })
  )

const deleted = Effect.succeed(
  respond({
    title: "Your account is deleted",
    reader: null,
    width: "narrow",
    main: html`<h1>Your account is deleted</h1>
      <p>Apps can ask nothing more about you, and your phones can send nothing more. The rest is being removed now.</p>
      <p>An e-mail confirms it. You may remove the app that sent your location from your phone.</p>`
  })
)

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(
      `${portal}/settings/delete-account`,
      Visitor.signedIn((visitor) => page(portal, visitor))
    ),
    Routes.post(`${portal}/settings/delete-account`, remove(portal)),
    Routes.get("/account-deleted", deleted)
  ]
}
