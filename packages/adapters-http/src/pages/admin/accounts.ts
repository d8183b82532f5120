import { Account } from "@place-access/domain/accounts"
import { SignUpRequest } from "@place-access/domain/credentials"
import { changeRole, findAccount, resumeAccount, signOutAccount, suspendAccount } from "@place-access/domain/staff"
import { Effect, Either } from "effect"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { ADMIN, asAdmin } from "../review/shared.js"
import { accountId, accountPath, ACCOUNTS, adminHead, AUDIT, badges } from "./shared.js"

const words = texts.admin.account
const { search: searched, tabs } = texts.admin

const LABELS = { account: searched.label }

/**
 * The search form posts the e-mail address. So the address does not appear in the browser's history or in the log of a
 * proxy.
 */
const searchPage = (visitor: Visitor.Visitor, form: Fields.Shown, status = 200) =>
  Effect.gen(function* () {
    return yield* respond({
      title: searched.title,
      reader: yield* Visitor.reader(visitor),
      current: ADMIN,
      status,
      main: html`${adminHead(ACCOUNTS, tabs.accounts)}
        <p class="lead">${searched.lead}</p>
        ${Fields.problems(form, LABELS)}
        <form method="post" action="${ACCOUNTS}">
          ${Fields.hidden("form_token", yield* Visitor.tokenFor(visitor))}
          ${Fields.input(form, {
            name: "account",
            label: LABELS.account,
            hint: searched.hint,
            maxlength: 254
          })}
          <button>${searched.find}</button>
        </form>`
    })
  })

const search = asAdmin((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const found = yield* Effect.either(findAccount(visitor.account, form.value("account")))
    if (Either.isRight(found)) return seeOther(accountPath(found.right.id))
    if (found.left._tag !== "NotFound") return yield* Effect.fail(found.left)
    const fault = { field: "account", message: searched.nobody }
    return yield* searchPage(visitor, Form.shown(form, [fault]), 404)
  })
)

const accountPage = (visitor: Visitor.Visitor) =>
  Effect.gen(function* () {
    const account = yield* findAccount(visitor.account, yield* accountId)
    const token = yield* Visitor.tokenFor(visitor)
    return yield* respond({
      title: texts.admin.titleOf(account.displayName),
      reader: yield* Visitor.reader(visitor),
      current: ADMIN,
      main: html`<p><a href="${ACCOUNTS}">${tabs.accounts}</a></p>
        <h1>${account.displayName}</h1>
        <p class="lead">${badges(account)}</p>
        ${notice((yield* Form.query).value("done"))}
        <section class="card" aria-labelledby="about">
          <h2 id="about">${words.about}</h2>
          <dl>
            <dt>${words.email}</dt>
            <dd>${SignUpRequest.addressOf(account) ?? words.noEmail}</dd>
            <dt>${words.id}</dt>
            <dd><code>${account.id}</code></dd>
            <dt>${words.created}</dt>
            <dd>${time(account.createdAt)}</dd>
            ${
              account.suspendedAt !== null &&
              html`<dt>${texts.admin.suspended}</dt>
                <dd>${time(account.suspendedAt)}</dd>`
            }
          </dl>
          <p><a href="${AUDIT}?account=${account.id}">${words.happened}</a></p>
        </section>
        ${roles(account, token)} ${access(account, token, account.id === visitor.account.id)}`
    })
  })

const button = (account: Account.Account, token: string, action: string, text: Html, kind: "second" | "stop") =>
  html`<form method="post" action="${accountPath(account.id)}/${action}">
    ${Fields.hidden("form_token", token)}<button class="${kind}">${text}</button>
  </form>`

const roles = (account: Account.Account, token: string): Html =>
  html`<section class="card" aria-labelledby="roles">
    <h2 id="roles">${words.rolesHeading}</h2>
    <p>${words.rolesText}</p>
    <dl>
      ${Account.Role.literals.map(
        (role) =>
          html`<dt>${texts.admin.roles[role]}</dt>
            <dd>
              <p class="soft small">${words.means[role]}</p>
              ${
                Account.hasRole(account, role)
                  ? removal(account, token, role)
                  : button(account, token, `roles/${role}/give`, words.give(texts.admin.roles[role]), "second")
              }
            </dd>`
      )}
    </dl>
  </section>`

/**
 * The button that removes a role. The button for the role Admin is folded away, because an admin who loses the role can
 * no longer open the pages of admins.
 */
const removal = (account: Account.Account, token: string, role: Account.Role): Html => {
  const text = words.take(texts.admin.roles[role])
  const form = button(account, token, `roles/${role}/take`, text, "stop")
  return role === "admin"
    ? html`<details>
        <summary>${text}</summary>
        <div>${form}</div>
      </details>`
    : form
}

/**
 * The section about access to the account. `isOwn`: the account belongs to the admin who reads the page. Admins cannot
 * suspend their own account, because only another admin could undo that.
 */
const access = (account: Account.Account, token: string, isOwn: boolean): Html =>
  html`<section class="card" aria-labelledby="access">
    <h2 id="access">${words.access}</h2>
    <h3>${words.signOut}</h3>
    <p>${words.signOutText}</p>
    ${button(account, token, "end-sessions", words.signOutEverywhere, "second")}
    ${
      account.suspendedAt === null
        ? html`<h3>${words.suspend}</h3>
            ${isOwn ? html`<p>${words.suspendOwn}</p>` : suspension(account, token)}`
        : html`<h3>${words.resume}</h3>
            <p>${words.resumeText}</p>
            <p>${words.resumeFirst}</p>
            ${button(account, token, "resume", words.resumeAccount, "second")}`
    }
  </section>`

const suspension = (account: Account.Account, token: string): Html =>
  html`<details>
    <summary>${words.suspendNamed(account.displayName)}</summary>
    <div>
      <p>${words.suspendWhile}</p>
      <ul>
        <li>${words.suspendSignIn}</li>
        <li>${words.suspendApps}</li>
        <li>${words.suspendPhones}</li>
      </ul>
      <p>${words.suspendBack}</p>
      ${button(account, token, "suspend", words.suspendAccount, "stop")}
    </div>
  </details>`

/**
 * Gives or takes a role. Making somebody a reviewer or an admin needs a sign-in or a confirmation of the last 15
 * minutes (decision staff-2).
 */
const role = (name: Account.Role, isGiven: boolean) => {
  const done = (visitor: Visitor.Visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const { id } = yield* changeRole(visitor.account, yield* accountId, { role: name, isGiven })
      // The admin has taken their own role, so the pages of admins refuse this person after this request.
      if (name === "admin" && !isGiven && id === visitor.account.id) return seeOther("/?done=admin-left")
      return seeOther(`${accountPath(id)}?done=${isGiven ? "role-given" : "role-taken"}`)
    })
  return asAdmin((visitor) =>
    isGiven && Account.isStaff({ roles: [name] })
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
