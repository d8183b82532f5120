import { Account, isFreshSession } from "@place-access/domain/accounts"
import {
  confirmAddress,
  describeConfirmation,
  requestAddressChange,
  requestConfirmation,
  SignUpRequest
} from "@place-access/domain/credentials"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Either, Option, Schema } from "effect"
import { takeLink } from "../../credentials/addressLinks.js"
import { HttpOptions, portalPath, type ServiceOptions } from "../../HttpOptions.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond, seeOther } from "../kit/Page.js"
import * as ReturnTo from "../kit/ReturnTo.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { deadLink } from "./deadLink.js"

const words = texts.signIn.address
const confirming = texts.signIn.confirmAddress

const LABELS = { email: words.newAddress }

const page = (portal: string, visitor: Visitor.Visitor, form: Fields.Shown = Fields.fresh()) =>
  Effect.gen(function* () {
    const token = yield* Visitor.tokenFor(visitor)
    const rule = (yield* HttpOptions).addressRule
    const query = yield* Form.query
    const isFresh = yield* isFreshSession(visitor.cookie)
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      saysNoAddress: true,
      status: form.problems.length === 0 ? 200 : 400,
      main: html`<p><a href="${portal}/settings">${words.settings}</a></p>
        <h1>${words.title}</h1>
        ${form.problems.length === 0 && notice(query.value("done"))} ${present(portal, visitor.account, rule, token)}
        <h2>${words.change}</h2>
        <p>${words.changeText} ${isUndoable(visitor.account, rule) && words.undoText}</p>
        ${rule === "assumed" && html`<p class="note warn">${words.noLink}</p>`}
        ${
          isFresh
            ? html`${Fields.problems(form, LABELS)}
                <form method="post" action="${portal}/settings/email" class="card">
                  ${Fields.hidden("form_token", token)}
                  ${Fields.input(form, { name: "email", label: LABELS.email, type: "email", autocomplete: "email", maxlength: 254 })}
                  <button>${words.mailLink}</button>
                </form>`
            : html`<p>
                <a class="button" href="${ReturnTo.confirm(`${portal}/settings/email`)}">${words.confirmFirst}</a>
              </p>`
        }`
    })
  })

/**
 * Whether the old address gets a link that undoes the change. An account without an address has a placeholder, to which
 * no link can be mailed.
 */
const isUndoable = (account: Account.Account, rule: Account.AddressRule): boolean =>
  Account.countsAsConfirmed(account, rule) && !SignUpRequest.isReleased(account)

const present = (portal: string, account: Account.Account, rule: Account.AddressRule, token: string): Html => {
  if (account.confirmedAt !== null) {
    return html`<p class="lead">${account.email} <span class="badge">${words.confirmed}</span></p>`
  }
  if (SignUpRequest.isReleased(account)) {
    return html`<div class="note warn">
      <p>${words.none} ${rule === "confirmed" && words.untilThen}</p>
    </div>`
  }
  if (rule === "assumed") {
    return html`<p class="lead">${account.email}</p>
      <p class="soft small">${words.noMail}</p>`
  }
  return html`<p class="lead">${account.email} <span class="badge warn">${words.notConfirmed}</span></p>
    <div class="note warn">
      <p>${words.notConfirmedText}</p>
    </div>
    <form method="post" action="${portal}/settings/email/confirm" class="actions">
      ${Fields.hidden("form_token", token)}
      <button>${words.mailConfirmation}</button>
    </form>`
}

const change = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const redirect = yield* Visitor.confirmed(visitor)
      if (redirect !== null) return yield* redirect
      const showAgain = (problems: ReadonlyArray<FieldProblem>) => page(portal, visitor, Form.shown(form, problems))
      const input = Form.decode(Schema.Struct({ email: Account.Email }), { email: form.value("email") })
      if (Either.isLeft(input)) return yield* showAgain(input.left)
      yield* takeLink
      const done = (yield* HttpOptions).addressRule === "assumed" ? "address-asked-no-mail" : "address-asked"
      return yield* requestAddressChange(visitor.account, input.right.email).pipe(
        Effect.as(seeOther(`${portal}/settings/email?done=${done}`)),
        Effect.catchTag("Invalid", ({ problems }) => showAgain(problems))
      )
    })
  )

const mailConfirmation = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      yield* takeLink
      yield* requestConfirmation(visitor.account)
      // The account lost its address after the form was opened. The page says that the account has no address, and does
      // not show the notice that a link was mailed.
      if (SignUpRequest.isReleased(visitor.account)) return seeOther(`${portal}/settings/email`)
      const done = visitor.account.confirmedAt === null ? "address-mailed" : "address-confirmed"
      return seeOther(`${portal}/settings/email?done=${done}`)
    })
  )

const dead = (portal: string) =>
  Effect.flatMap(Visitor.currentLocale, (locale) =>
    deadLink(
      texts.signIn.deadLink.address,
      html`<p><a class="button" href="${portal}/settings/email">${words.title}</a></p>`,
      { locale }
    )
  )

/**
 * Opening the mailed link only shows this page and changes nothing: programs that look for viruses in mail open links
 * too.
 */
const show = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const token = (yield* Form.query).value("token")
      const { newEmail } = yield* describeConfirmation(visitor.account, token)
      const formToken = yield* Visitor.tokenFor(visitor)
      return yield* respond({
        title: confirming.title,
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/settings`,
        width: "narrow",
        main: html`<h1>${confirming.title}</h1>
          ${
            newEmail === null
              ? html`<p>${confirming.own(visitor.account.email)}</p>`
              : html`<p>
                  ${
                    isUndoable(visitor.account, (yield* HttpOptions).addressRule)
                      ? confirming.replaces(newEmail, visitor.account.email)
                      : confirming.isFirst(newEmail)
                  }
                </p>`
          }
          <form method="post" action="/confirm-address" class="actions">
            ${Fields.hidden("form_token", formToken)} ${Fields.hidden("token", token)}
            <button>${newEmail === null ? confirming.confirm : confirming.change}</button>
            <a href="${portal}/settings/email">${confirming.nothing}</a>
          </form>`
      })
    }).pipe(Effect.catchTag("NotFound", () => dead(portal)))
  )

const taken = Effect.flatMap(Visitor.currentLocale, (locale) =>
  respond({
    title: confirming.taken,
    width: "narrow",
    reader: null,
    locale,
    status: 409,
    main: html`<h1>${confirming.taken}</h1>
      <p>${confirming.takenText}</p>
      <p><a href="/">${texts.signIn.frontPage}</a></p>`
  })
)

const confirmed = (portal: string) => Effect.succeed(seeOther(`${portal}/settings/email?done=address-confirmed`))

/**
 * True when the address was confirmed within the last minute. Then the person has probably pressed the button twice,
 * and the first request has used up the link. The account is read again, because `visitor.account` was read before the
 * confirmation.
 */
const wasJustConfirmed = Effect.gen(function* () {
  const now = yield* Timestamp.now
  return Option.exists(
    yield* Visitor.current,
    ({ account: { confirmedAt } }) => confirmedAt !== null && now < Timestamp.plus(confirmedAt, Timestamp.MINUTE)
  )
})

const confirm = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      yield* takeLink
      yield* confirmAddress(visitor.account, form.value("token"), (yield* HttpOptions).addressRule)
      return yield* confirmed(portal)
    }).pipe(
      Effect.catchTags({
        NotFound: () => Effect.if(wasJustConfirmed, { onTrue: () => confirmed(portal), onFalse: () => dead(portal) }),
        Conflict: () => taken
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
