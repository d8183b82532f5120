import type { Account } from "@place-access/domain/accounts"
import { AccountDeletion, deleteAccount, describeDeletion, isDeleted } from "@place-access/domain/deletions"
import { Language, NotFound, UserId } from "@place-access/domain/shared"
import { Effect, Either, Option, Schema } from "effect"
import { HttpOptions, type ServiceOptions, portalPath } from "../../HttpOptions.js"
import { texts, textsIn } from "../../languages/index.js"
import * as Browser from "../../security/Browser.js"
import * as Credentials from "../../security/Credentials.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { identityOf, respond, seeOther } from "../kit/Page.js"
import * as PasswordCheck from "./PasswordCheck.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"
import { getsMail } from "../settings/unconfirmed.js"
import { ACCOUNTS } from "../admin/shared.js"

const words = texts.settings.deletion

const LABELS = { password: words.password, word: words.wordField }

/**
 * Whether the text is the word that a person must type to confirm the deletion of the account. The word may be in any
 * language of the service. Nobody types this word by mistake. Decision languages-3.
 */
const isWord = (text: string): boolean =>
  Language.all.some((language) => textsIn(language).settings.deletion.word === text.trim().toLowerCase())

const page = (portal: string, visitor: Visitor.Visitor, rejected = PasswordCheck.FIRST_TIME) =>
  Effect.gen(function* () {
    const { apps, isLastAdmin } = yield* describeDeletion(visitor.account)
    const fields = fieldsOf(visitor.account)
    const hidden = { ...fields, form_token: yield* Visitor.tokenFor(visitor, formOf(fields)) }
    const form: Fields.Shown = { values: () => "", problems: rejected.problems }
    return yield* respond({
      title: words.heading,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      status: rejected.status,
      headers: rejected.headers ?? {},
      main: html`<p><a href="${portal}/settings">${texts.settings.title}</a></p>
        <h1>${words.heading}</h1>
        <p class="lead">${words.lead(identityOf(visitor.account))}</p>
        ${Fields.problems(form, LABELS)}
        <section class="card" aria-labelledby="goes">
          <h2 id="goes">${words.goes.heading}</h2>
          <ul>
            <li>${words.goes.apps}</li>
            <li>${words.goes.phones}</li>
            <li>${words.goes.data}</li>
          </ul>
        </section>
        ${apps.length > 0 && owned(apps)}
        <section class="card" aria-labelledby="stays">
          <h2 id="stays">${words.stays.heading}</h2>
          <ul>
            <li>${words.stays.learned}</li>
            ${
              visitor.account.roles.some((role) => role !== "developer") &&
              html`<li>${words.stays.decisions(AccountDeletion.NOBODY.displayName)}</li>`
            }
            ${
              visitor.account.roles.includes("developer") &&
              html`<li>${words.stays.teamwork(AccountDeletion.NOBODY.displayName)}</li>`
            }
            <li>${words.stays.backups}</li>
          </ul>
          <p>${getsMail(visitor.account) ? words.stays.mail : words.stays.noMail}</p>
        </section>
        ${isLastAdmin ? lastAdmin : confirmation(portal, form, hidden)}`
    })
  })

const owned = (apps: ReadonlyArray<AccountDeletion.CountedApp>): Html =>
  html`<section class="card" aria-labelledby="apps">
    <h2 id="apps">${words.owned.heading}</h2>
    <p>${words.owned.text}</p>
    <ul>
      ${apps.map(
        ({ app, heir, people }) =>
          html`<li>
            <strong>${app.name}</strong>:
            ${
              heir !== null
                ? words.owned.inherited
                : AccountDeletion.goesEntirely(app)
                  ? words.owned.entirely
                  : people === 0
                    ? words.owned.unused
                    : words.owned.used(people)
            }
          </li>`
      )}
    </ul>
  </section>`

const lastAdmin = html`<div class="note warn">
  <p>${words.lastAdmin(ACCOUNTS)}</p>
</div>`

/**
 * The hidden fields of the form. When the form is sent again after the deletion, the service reads from these fields
 * which account was deleted.
 */
const fieldsOf = (account: Account.Account) => ({ account: account.id, mail: getsMail(account) ? "yes" : "no" })

/**
 * The name to which the form's token is bound. The name contains the fields, so a form that names another account needs
 * another token.
 */
const formOf = ({ account, mail }: Readonly<Record<"account" | "mail", string>>): string =>
  `delete-account ${account} ${mail}`

const formIn = (form: Form.Form): string => formOf({ account: form.value("account"), mail: form.value("mail") })

const confirmation = (portal: string, form: Fields.Shown, hidden: Readonly<Record<string, string>>): Html =>
  html`<form method="post" action="${portal}/settings/delete-account" class="card">
    ${Object.entries(hidden).map(([name, value]) => Fields.hidden(name, value))}
    ${Fields.input(form, { name: "password", label: LABELS.password, type: "password", autocomplete: "current-password" })}
    ${Fields.input(form, { name: "word", label: LABELS.word, hint: words.wordHint(words.word), maxlength: 20 })}
    <button class="stop">${words.confirm}</button>
  </form>`

const Given = Schema.Struct({ password: PasswordCheck.Given })

const wordProblemsOf = (word: string): ReadonlyArray<Fields.ShownProblem> =>
  isWord(word) ? [] : [{ field: "word", message: words.wordFault(words.word) }]

const remove = (portal: string) =>
  Effect.gen(function* () {
    if (Option.isNone(yield* Visitor.current)) return yield* repeated
    return yield* Effect.catchTag(removeOwn(portal), "NotFound", () => repeated)
  }).pipe(
    Effect.catchTag("NotFound", () =>
      Visitor.signedIn(() => Effect.succeed(seeOther(`${portal}/settings/delete-account`)))
    )
  )

const removeOwn = (portal: string) =>
  Visitor.freshWithFactor((visitor) =>
    Effect.gen(function* () {
      const sent = yield* Form.read
      const form = yield* Visitor.checked(visitor.cookie, formIn(sent))
      const given = Form.decode(Given, { password: form.value("password") })
      const wordProblems = wordProblemsOf(form.value("word"))
      if (Either.isLeft(given))
        return yield* page(portal, visitor, { problems: [...given.left, ...wordProblems], status: 400 })
      if (wordProblems.length > 0) return yield* page(portal, visitor, { problems: wordProblems, status: 400 })
      const { password } = given.right
      return yield* deleteAccount(visitor.account, { password, ...(yield* Browser.attempt) }).pipe(
        Effect.zipRight(goodbye(getsMail(visitor.account))),
        Effect.catchTags({
          ...PasswordCheck.refusals((rejected) => page(portal, visitor, rejected)),
          Conflict: () => page(portal, visitor, { problems: [], status: 409 })
        })
      )
    })
  )

const goodbye = (isMailed: boolean) =>
  Effect.map(HttpOptions, (options) =>
    Credentials.clearSession(seeOther(isMailed ? DELETED : `${DELETED}?mail=no`), options)
  )

/**
 * The answer when the person pressed the button twice: the first request has deleted the account and its session, and
 * the browser shows only this second answer. Fails with `NotFound` when the account still exists, and when the form was
 * not made for this browser.
 */
const repeated = Effect.gen(function* () {
  const cookie = yield* Credentials.sessionCookie
  const form = yield* Form.read
  const isOurs = Option.isSome(cookie) && (yield* Effect.isSuccess(Visitor.checked(cookie.value, formIn(form))))
  const notGone = new NotFound({ what: "account" })
  if (!isOurs) return yield* notGone
  const isGone = yield* isDeleted(UserId.make(form.value("account")))
  return isGone ? yield* goodbye(form.value("mail") === "yes") : yield* notGone
})

const DELETED = "/account-deleted"

const deleted = Effect.flatMap(Form.query, (query) =>
  respond({
    title: words.done.heading,
    reader: null,
    width: "narrow",
    main: html`<h1>${words.done.heading}</h1>
      <p>${words.done.text}</p>
      <p>${query.value("mail") !== "no" && html`${words.done.mail} `}${words.done.phone}</p>
      <p><a href="/">${words.done.home}</a></p>`
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
    Routes.get(DELETED, deleted)
  ]
}
