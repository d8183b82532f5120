import { Account, PasswordStrength } from "@place-access/domain/accounts"
import { changePassword, SignUpRequest } from "@place-access/domain/credentials"
import { Vault } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import { staysSignedIn } from "../../credentials/staysKnown.js"
import { portalPath, type ServiceOptions } from "../../HttpOptions.js"
import * as Browser from "../../security/Browser.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as PasswordCheck from "./PasswordCheck.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"

const words = texts.settings.password

const LABELS = { password: words.present, new_password: words.wanted }

const page = (portal: string, visitor: Visitor.Visitor, rejected = PasswordCheck.FIRST_TIME) =>
  Effect.gen(function* () {
    const token = yield* Visitor.tokenFor(visitor)
    const once = yield* Visitor.onceField
    const form: Fields.Shown = { values: () => "", problems: rejected.problems }
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      status: rejected.status,
      headers: rejected.headers ?? {},
      main: html`<p><a href="${portal}/settings">${texts.settings.title}</a></p>
        <h1>${words.title}</h1>
        <p class="lead">${words.lead}</p>
        ${Fields.problems(form, LABELS)}
        <form method="post" action="${portal}/settings/password" class="card">
          ${Fields.hidden("form_token", token)} ${once} ${Fields.username(SignUpRequest.addressOf(visitor.account))}
          ${Fields.input(form, { name: "password", label: LABELS.password, type: "password", autocomplete: "current-password" })}
          ${Fields.newPassword(form, "new_password", LABELS.new_password)}
          <button>${words.change}</button>
        </form>
        <p>${words.forgotten("/forgot-password")}</p>`
    })
  })

const Change = Schema.Struct({
  password: PasswordCheck.Given,
  new_password: Account.Password
})

const done = (portal: string, newPassword: string): string =>
  `${portal}/settings?done=password-${PasswordStrength.of(newPassword)}`

const handle = (portal: string) =>
  Visitor.freshWithFactor((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const input = Form.decode(Change, { password: form.value("password"), new_password: form.value("new_password") })
      if (Either.isLeft(input)) return yield* page(portal, visitor, { problems: input.left, status: 400 })
      const { new_password: newPassword, password } = input.right
      const session = (yield* Vault.Vault).sha256(visitor.cookie)
      return yield* changePassword(visitor.account, {
        password,
        newPassword,
        session,
        form: Visitor.sentForm(form),
        ...(yield* Browser.attempt)
      }).pipe(
        Effect.flatMap((fresh) => staysSignedIn(visitor.account, fresh, seeOther(done(portal, newPassword)))),
        Effect.catchTags({
          Invalid: ({ problems }) => page(portal, visitor, { problems, status: 400 }),
          ...PasswordCheck.refusals((rejected) => page(portal, visitor, rejected))
        })
      )
    })
  )

const change = (portal: string) =>
  Visitor.once({ to: (form) => done(portal, form.value("new_password")), makesKnown: true }, handle(portal))

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(
      `${portal}/settings/password`,
      Visitor.signedIn((visitor) => page(portal, visitor))
    ),
    Routes.post(`${portal}/settings/password`, change(portal))
  ]
}
