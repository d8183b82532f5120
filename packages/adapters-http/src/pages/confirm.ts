import { SignUpRequest } from "@place-access/domain/credentials"
import {
  confirmSession,
  describeFactors,
  Factors,
  type IdentityProof,
  issueChallenge
} from "@place-access/domain/factors"
import { Effect, Either, Option, Schema } from "effect"
import { canHavePasskeys, toSign } from "../factors/passkeyOptions.js"
import * as PasskeyResponse from "../factors/passkeyResponse.js"
import { HttpOptions } from "../HttpOptions.js"
import * as Browser from "../security/Browser.js"
import * as Credentials from "../security/Credentials.js"
import * as CodeField from "./factors/codeField.js"
import { passkeyForm, passkeyPolicy } from "./factors/passkeyForm.js"
import * as Fields from "./kit/Fields.js"
import * as Form from "./kit/Form.js"
import { html } from "../html/Html.js"
import { texts } from "../languages/index.js"
import { respond, seeOther } from "./kit/Page.js"
import * as ReturnTo from "./kit/ReturnTo.js"
import * as Routes from "./kit/Routes.js"
import * as Visitor from "./kit/Visitor.js"
import * as PasswordCheck from "./portal/PasswordCheck.js"

const words = texts.signIn.confirm

/**
 * The page on which a signed-in person proves once more who they are, before a dangerous operation (decision
 * accounts-17).
 */

const LABELS = { password: texts.frame.fields.password, ...CodeField.LABELS }

/** The problems, the status and the headers with which the form is shown again. */
interface FormRefusal {
  readonly problems: ReadonlyArray<Fields.ShownProblem>
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

const page = (visitor: Visitor.Visitor, returnTo: string, rejected: FormRefusal = PasswordCheck.FIRST_TIME) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const { account } = visitor
    const token = yield* Visitor.tokenFor(visitor)
    const once = yield* Visitor.onceField
    const factors = yield* describeFactors(account)
    const { passkeys } = factors
    const asks = passkeys.length > 0 && canHavePasskeys(options)
    const challenge = asks ? yield* issueChallenge({ _tag: "Confirm", userId: account.id }) : ""
    const policy = yield* passkeyPolicy
    const form: Fields.Shown = { values: () => "", problems: rejected.problems }
    const hidden = { form_token: token, return_to: returnTo }
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      width: "narrow",
      status: rejected.status,
      headers: rejected.headers ?? {},
      ...(asks ? { passkey: policy } : {}),
      main: html`<h1>${words.title}</h1>
        <p class="lead">${words.lead}</p>
        ${Fields.problems(form, LABELS)}
        ${
          asks &&
          passkeyForm({
            action: "/confirm",
            does: "get",
            options: toSign(options, challenge, { alone: true, passkeys }),
            hidden,
            fields: once,
            button: texts.factors.asked.usePasskey
          })
        }
        <form method="post" action="/confirm" class="card">
          ${Object.entries(hidden).map(([name, value]) => Fields.hidden(name, value))} ${once}
          ${Fields.username(SignUpRequest.addressOf(account))}
          ${Fields.input(form, { name: "password", label: LABELS.password, type: "password", autocomplete: "current-password" })}
          ${Factors.isOn(factors) && CodeField.codeField(form, factors)}
          <button class="wide">${words.goOn}</button>
        </form>
        <p>${words.unknown(ReturnTo.forgotPassword(returnTo))}</p>`
    })
  })

/**
 * A person who has signed in or confirmed lately, in another tab for example, is redirected to `return_to` immediately.
 * Without a `return_to` there is no page to redirect to, so the page shows the form.
 */
const show = Visitor.signedInAnyhow((visitor) =>
  Effect.gen(function* () {
    const returnTo = ReturnTo.safe((yield* Form.query).value("return_to"))
    const isFresh = (yield* Visitor.confirmed(visitor)) === null
    return isFresh && returnTo !== "/" ? seeOther(returnTo) : yield* page(visitor, returnTo)
  })
)

const Typed = Schema.Struct({ password: PasswordCheck.Given })

const proofOf = (form: Form.Form): Either.Either<IdentityProof, ReadonlyArray<Fields.ShownProblem>> => {
  if (form.value("passkey") === "") {
    const code = form.value("code").trim()
    return Either.map(Form.decode(Typed, { password: form.value("password") }), ({ password }) => ({
      _tag: "Password",
      password,
      code: code === "" ? null : code
    }))
  }
  return Option.match(PasskeyResponse.read(form.value("passkey")), {
    onNone: () => Either.left([CodeField.REJECTED]),
    onSome: (response) => Either.right({ _tag: "Passkey", response })
  })
}

const MISSING: Fields.ShownProblem = { field: "code", message: texts.factors.asked.missing }

const handle = Visitor.signedInAnyhow((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const returnTo = ReturnTo.safe(form.value("return_to"))
    const showAgain = (rejected: FormRefusal) => page(visitor, returnTo, rejected)
    const proof = proofOf(form)
    if (Either.isLeft(proof)) return yield* showAgain({ problems: proof.left, status: 400 })
    const { cookie } = visitor
    const ofPassword = PasswordCheck.refusals(showAgain)
    const ofFactor = CodeField.refusals(proof.right._tag === "Password" ? "code" : "passkey", showAgain)
    const sent = { proof: proof.right, ...(yield* Browser.attempt), cookie, form: Visitor.sentForm(form) }
    return yield* confirmSession(visitor.account, sent).pipe(
      Effect.flatMap((fresh) =>
        Effect.map(HttpOptions, (options) => Credentials.setSession(seeOther(returnTo), fresh, options))
      ),
      Effect.catchTags({
        WrongCredentials: ofPassword.WrongCredentials,
        WrongFactor: ofFactor.WrongFactor,
        TooManyAttempts: (error) => (error.proof === "code" ? ofFactor : ofPassword).TooManyAttempts(error),
        FactorRequired: () => showAgain({ problems: [MISSING], status: 400 })
      })
    )
  })
)

const confirm = Visitor.once({ to: (form) => ReturnTo.safe(form.value("return_to")), makesKnown: false }, handle)

export const routes = [Routes.get("/confirm", show), Routes.post("/confirm", confirm)]
