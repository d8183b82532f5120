import { Account } from "@place-access/domain/accounts"
import { changeRole, findAccount, resumeAccount, signOutAccount, suspendAccount } from "@place-access/domain/staff"
import { Effect, Either } from "effect"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { ADMIN, asAdmin } from "../review/shared.js"
import { accountId, accountPath, ACCOUNTS, adminHead, AUDIT, badges, ROLE_NAMES } from "./shared.js"

const LABELS = { account: "E-mail address or id" }

/** The address is posted, so that it is in no browser's history and in no log of a proxy. */
const searchPage = (visitor: Visitor.Visitor, form: Fields.Shown, status = 200) =>
  Effect.gen(function* () {
    return respond({
      title: "Admin: accounts",
      reader: yield* Visitor.reader(visitor),
      current: ADMIN,
      status,
      main: html`${adminHead(ACCOUNTS, "Accounts")}
        <p class="lead">Find one account, to give or take roles, to suspend it or to sign it out.</p>
        ${Fields.problems(form, LABELS)}
        <form method="post" action="${ACCOUNTS}">
          ${Fields.hidden("form_token", yield* Visitor.tokenFor(visitor))}
          ${Fields.input(form, {
            name: "account",
            label: LABELS.account,
            hint: "The whole address, or an id such as usr_…. There is no search by parts of a name.",
            maxlength: 254
          })}
          <button>Find account</button>
        </form>`
    })
  })

const search = asAdmin((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const found = yield* Effect.either(findAccount(visitor.account, form.value("account")))
    if (Either.isRight(found)) return seeOther(accountPath(found.right.id))
    if (found.left._tag !== "NotFound") return yield* Effect.fail(found.left)
    const fault = { field: "account", message: "belongs to no account here" }
    return yield* searchPage(visitor, Form.shown(form, [fault]), 404)
  })
)

const accountPage = (visitor: Visitor.Visitor) =>
  Effect.gen(function* () {
    const account = yield* findAccount(visitor.account, yield* accountId)
    const token = yield* Visitor.tokenFor(visitor)
    return respond({
      title: `Admin: ${account.displayName}`,
      reader: yield* Visitor.reader(visitor),
      current: ADMIN,
      main: html`<p><a href="${ACCOUNTS}">Accounts</a></p>
        <h1>${account.displayName}</h1>
        <p class="lead">${badges(account)}</p>
        ${notice((yield* Form.query).value("done"))}
        <section class="card" aria-labelledby="about">
          <h2 id="about">About the account</h2>
          <dl>
            <dt>E-mail address</dt>
            <dd>${account.email}</dd>
            <dt>Id</dt>
            <dd><code>${account.id}</code></dd>
            <dt>Created</dt>
            <dd>${time(account.createdAt)}</dd>
            ${
              account.suspendedAt !== null &&
              html`<dt>Suspended</dt>
                <dd>${time(account.suspendedAt)}</dd>`
            }
          </dl>
          <p><a href="${AUDIT}?account=${account.id}">What happened with this account</a></p>
        </section>
        ${roles(account, token)} ${access(account, token)}`
    })
  })

const button = (account: Account.Account, token: string, action: string, text: string, kind: "second" | "stop") =>
  html`<form method="post" action="${accountPath(account.id)}/${action}">
    ${Fields.hidden("form_token", token)}<button class="${kind}">${text}</button>
  </form>`

const MEANS: Readonly<Record<Account.Role, string>> = {
  developer: "Created apps. Everybody becomes a developer with their first app.",
  reviewer: "Decides about apps and purposes of other people, and sees no location.",
  admin: "Can do what a reviewer can. Ends apps, gives roles and suspends accounts."
}

const roles = (account: Account.Account, token: string): Html =>
  html`<section class="card" aria-labelledby="roles">
    <h2 id="roles">Roles</h2>
    <p>A change works at once. The account gets an e-mail, and the audit log has an entry.</p>
    <dl>
      ${Account.Role.literals.map(
        (role) =>
          html`<dt>${ROLE_NAMES[role]}</dt>
            <dd>
              <p class="soft small">${MEANS[role]}</p>
              ${
                Account.hasRole(account, role)
                  ? button(account, token, `roles/${role}/take`, `Take the role ${ROLE_NAMES[role]}`, "stop")
                  : button(account, token, `roles/${role}/give`, `Give the role ${ROLE_NAMES[role]}`, "second")
              }
            </dd>`
      )}
    </dl>
  </section>`

const access = (account: Account.Account, token: string): Html =>
  html`<section class="card" aria-labelledby="access">
    <h2 id="access">Access</h2>
    <h3>Sign out</h3>
    <p>Signs every browser of the account out. Its owner can sign in again.</p>
    ${button(account, token, "end-sessions", "Sign out everywhere", "second")}
    ${
      account.suspendedAt === null
        ? html`<h3>Suspend</h3>
            <p>While it is suspended:</p>
            <ul>
              <li>nobody can sign in with it, and its browsers are signed out;</li>
              <li>apps get no answers and no events about it, and its own apps are paused;</li>
              <li>its phones can still upload, and nothing is deleted.</li>
            </ul>
            <p>You can resume it at any time. Its owner gets an e-mail.</p>
            ${button(account, token, "suspend", "Suspend account", "stop")}`
        : html`<h3>Resume</h3>
            <p>Everything works as before. Events from the time between are not sent later.</p>
            ${button(account, token, "resume", "Resume account", "second")}`
    }
  </section>`

/** Making an admin needs a proof of the last 15 minutes (decision staff-2). */
const role = (name: Account.Role, isGiven: boolean) => {
  const done = (visitor: Visitor.Visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const { id } = yield* changeRole(visitor.account, yield* accountId, { role: name, isGiven })
      return seeOther(`${accountPath(id)}?done=${isGiven ? "role-given" : "role-taken"}`)
    })
  return asAdmin((visitor) =>
    name === "admin" && isGiven
      ? Effect.flatMap(Visitor.confirmed(visitor), (redirect) => redirect ?? done(visitor))
      : done(visitor)
  )
}

const changed = <E, R>(
  change: (visitor: Visitor.Visitor, id: Account.Account["id"]) => Effect.Effect<unknown, E, R>,
  done: string
) =>
  asAdmin((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const id = yield* accountId
      yield* change(visitor, id)
      return seeOther(`${accountPath(id)}?done=${done}`)
    })
  )

export const routes = [
  Routes.get(
    ACCOUNTS,
    asAdmin((visitor) => searchPage(visitor, Fields.fresh()))
  ),
  Routes.post(ACCOUNTS, search),
  Routes.get(`${ACCOUNTS}/:account`, asAdmin(accountPage)),
  ...Account.Role.literals.flatMap((name) => [
    Routes.post(`${ACCOUNTS}/:account/roles/${name}/give`, role(name, true)),
    Routes.post(`${ACCOUNTS}/:account/roles/${name}/take`, role(name, false))
  ]),
  Routes.post(
    `${ACCOUNTS}/:account/end-sessions`,
    changed(({ account }, id) => signOutAccount(account, id), "account-signed-out")
  ),
  Routes.post(
    `${ACCOUNTS}/:account/suspend`,
    changed(({ account }, id) => suspendAccount(account, id), "account-suspended")
  ),
  Routes.post(
    `${ACCOUNTS}/:account/resume`,
    changed(({ account }, id) => resumeAccount(account, id), "account-resumed")
  )
]
