import { Account, isFreshSession } from "@place-access/domain/accounts"
import {
  confirmAddress,
  describeConfirmation,
  requestAddressChange,
  requestConfirmation
} from "@place-access/domain/credentials"
import { Effect, Either, Schema } from "effect"
import { takeLink } from "../../credentials/addressLinks.js"
import { addressRule, HttpOptions, portalPath, type ServiceOptions } from "../../HttpOptions.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as ReturnTo from "../kit/ReturnTo.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { deadLink } from "./deadLink.js"

const LABELS = { email: "New address" }

const page = (portal: string, visitor: Visitor.Visitor, form: Fields.Shown = Fields.fresh()) =>
  Effect.gen(function* () {
    const token = yield* Visitor.tokenFor(visitor)
    const rule = addressRule(yield* HttpOptions)
    const query = yield* Form.query
    const isFresh = yield* isFreshSession(visitor.cookie)
    return respond({
      title: "Your e-mail address",
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      status: form.problems.length === 0 ? 200 : 400,
      main: html`<p><a href="${portal}/settings">Settings</a></p>
        <h1>Your e-mail address</h1>
        ${form.problems.length === 0 && notice(query.value("done"))} ${present(portal, visitor.account, rule, token)}
        <h2>Change it</h2>
        <p>
          We mail a link to the new address. When you open it, the address is changed: you sign in with it, and we write
          there. The old address gets a mail, with a link that undoes the change for 7 days.
        </p>
        ${
          isFresh
            ? html`${Fields.problems(form, LABELS)}
                <form method="post" action="${portal}/settings/email" class="card">
                  ${Fields.hidden("form_token", token)}
                  ${Fields.input(form, { name: "email", label: LABELS.email, type: "email", autocomplete: "email", maxlength: 254 })}
                  <button>Mail me a link</button>
                </form>`
            : html`<p>
                <a class="button" href="${ReturnTo.confirm(`${portal}/settings/email`)}"
                  >Confirm that it is you first</a
                >
              </p>`
        }`
    })
  })

const present = (portal: string, account: Account.Account, rule: Account.AddressRule, token: string): Html => {
  if (account.confirmedAt !== null) {
    return html`<p class="lead">${account.email} <span class="badge">Confirmed</span></p>`
  }
  if (rule === "assumed") {
    return html`<p class="lead">${account.email}</p>
      <p class="soft small">This service sends no mail, so the address counts as confirmed without a link.</p>`
  }
  return html`<p class="lead">${account.email} <span class="badge warn">Not confirmed</span></p>
    <div class="note warn">
      <p>
        Until you confirm the address, you get no mail, you can connect no app, and none of your apps can be reviewed.
      </p>
    </div>
    <form method="post" action="${portal}/settings/email/confirm" class="actions">
      ${Fields.hidden("form_token", token)}
      <button>Mail me a link to confirm it</button>
    </form>`
}

const change = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const redirect = yield* Visitor.confirmed(visitor)
      if (redirect !== null) return yield* redirect
      const again = (problems: ReadonlyArray<FieldProblem>) => page(portal, visitor, Form.shown(form, problems))
      const input = Form.decode(Schema.Struct({ email: Account.Email }), { email: form.value("email") })
      if (Either.isLeft(input)) return yield* again(input.left)
      yield* takeLink
      return yield* requestAddressChange(visitor.account, input.right.email).pipe(
        Effect.as(seeOther(`${portal}/settings/email?done=address-asked`)),
        Effect.catchTag("Invalid", ({ problems }) => again(problems))
      )
    })
  )

const mailConfirmation = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      yield* takeLink
      yield* requestConfirmation(visitor.account)
      return seeOther(`${portal}/settings/email?done=address-mailed`)
    })
  )

const dead = (portal: string) =>
  deadLink(
    "It was used already, it is older than 24 hours, or it is for another account than the one that is signed in here.",
    html`<p><a class="button" href="${portal}/settings/email">Your e-mail address</a></p>`
  )

/** Opening the link changes nothing: programs that look for viruses in mail open links too. */
const show = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const token = (yield* Form.query).value("token")
      const { newEmail } = yield* describeConfirmation(visitor.account, token)
      const formToken = yield* Visitor.tokenFor(visitor)
      return respond({
        title: "Confirm the address",
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/settings`,
        width: "narrow",
        main: html`<h1>Confirm the address</h1>
          ${
            newEmail === null
              ? html`<p>${visitor.account.email} is your address, and you read its mail.</p>`
              : html`<p>
                  Your account gets ${newEmail} in place of ${visitor.account.email}: you sign in with it, and we write
                  there. ${visitor.account.email} gets a mail, with a link that undoes the change for 7 days.
                </p>`
          }
          <form method="post" action="/confirm-address" class="actions">
            ${Fields.hidden("form_token", formToken)} ${Fields.hidden("token", token)}
            <button>${newEmail === null ? "Confirm it" : "Change the address"}</button>
            <a href="${portal}/settings/email">Change nothing</a>
          </form>`
      })
    }).pipe(Effect.catchTag("NotFound", () => Effect.succeed(dead(portal))))
  )

const taken = respond({
  title: "The address has another account",
  width: "narrow",
  reader: null,
  status: 409,
  main: html`<h1>The address has another account</h1>
    <p>It was confirmed for another account since the link was mailed. Nothing was changed.</p>
    <p><a href="/">Go to the front page</a></p>`
})

const confirm = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      yield* takeLink
      yield* confirmAddress(visitor.account, form.value("token"), addressRule(yield* HttpOptions))
      return seeOther(`${portal}/settings/email?done=address-confirmed`)
    }).pipe(
      Effect.catchTags({
        NotFound: () => Effect.succeed(dead(portal)),
        Conflict: () => Effect.succeed(taken)
      })
    )
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(
      `${portal}/settings/email`,
      Visitor.signedIn((visitor) => page(portal, visitor))
    ),
    Routes.post(`${portal}/settings/email`, change(portal)),
    Routes.post(`${portal}/settings/email/confirm`, mailConfirmation(portal)),
    Routes.get("/confirm-address", show(portal)),
    Routes.post("/confirm-address", confirm(portal))
  ]
}
