import type { Account } from "@place-access/domain/accounts"
import type { ProvedBy } from "@place-access/domain/credentials"
import {
  describeFactors,
  describePending,
  type FactorProof,
  finishSignIn,
  issueChallenge
} from "@place-access/domain/factors"
import { HttpServerRequest } from "@effect/platform"
import { Effect, Option } from "effect"
import { canHavePasskeys, toSign } from "../../factors/passkeyOptions.js"
import * as PasskeyResponse from "../../factors/passkeyResponse.js"
import { entered, type OpenedSession } from "../../accounts/enter.js"
import { HttpOptions, portalPath } from "../../HttpOptions.js"
import * as Browser from "../../security/Browser.js"
import * as Credentials from "../../security/Credentials.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html } from "../../html/Html.js"
import type { Locale } from "../../html/Locale.js"
import { texts } from "../../languages/index.js"
import { respond, seeOther } from "../kit/Page.js"
import * as ReturnTo from "../kit/ReturnTo.js"
import * as Routes from "../kit/Routes.js"
import * as Stranger from "../kit/Stranger.js"
import * as Visitor from "../kit/Visitor.js"
import * as CodeField from "./codeField.js"
import { passkeyForm, passkeyPolicy } from "./passkeyForm.js"

const words = texts.factors.secondStep
const used = texts.factors.codeUsed

/**
 * The page for the second step of a sign-in. The password was right, but the person is not signed in yet (decision
 * factors-8).
 */

const pending = Effect.gen(function* () {
  return Credentials.pendingToken(yield* HttpServerRequest.HttpServerRequest, yield* HttpOptions) ?? ""
})

const page = (account: Account.Account, returnTo: string, rejected: CodeField.RejectedFactor = CodeField.FIRST_TIME) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const factors = yield* describeFactors(account)
    const { passkeys } = factors
    const asks = passkeys.length > 0 && canHavePasskeys(options)
    const challenge = asks ? yield* issueChallenge({ _tag: "SecondStep", userId: account.id }) : ""
    const policy = yield* passkeyPolicy
    const once = yield* Visitor.onceField
    // Only a person who typed the right password sees this page. So showing the page in the account's language tells
    // strangers nothing.
    const locale = yield* Visitor.locale({ account })
    const form: Fields.Shown = { values: () => "", problems: rejected.problems }
    return yield* Stranger.bound((formToken) =>
      respond({
        title: texts.factors.title,
        width: "narrow",
        reader: null,
        locale,
        status: rejected.status,
        headers: rejected.headers,
        ...(asks ? { passkey: policy } : {}),
        main: html`<h1>${texts.factors.title}</h1>
          <p class="lead">${words.lead}</p>
          ${Fields.problems(form, CodeField.LABELS)}
          ${
            asks &&
            passkeyForm({
              action: "/sign-in/second-step",
              does: "get",
              options: toSign(options, challenge, { alone: false, passkeys }),
              hidden: { form_token: formToken, return_to: returnTo },
              fields: once,
              button: texts.factors.asked.usePasskey
            })
          }
          <form method="post" action="/sign-in/second-step" class="card">
            ${Fields.hidden("form_token", formToken)} ${Fields.hidden("return_to", returnTo)} ${once}
            ${CodeField.codeField(form, factors)}
            <button class="wide">${words.signIn}</button>
          </form>
          <p><a href="${ReturnTo.signIn(returnTo)}">${words.again}</a></p>
          <details>
            <summary>${words.neither}</summary>
            <p>${words.neitherText}</p>
          </details>`
      })
    )
  })

const over = (returnTo: string) =>
  Effect.map(HttpOptions, (options) => Credentials.clearPending(seeOther(ReturnTo.signIn(returnTo)), options))

const show = Effect.gen(function* () {
  const returnTo = ReturnTo.safe((yield* Form.query).value("return_to"))
  return yield* describePending(yield* pending).pipe(
    Effect.flatMap(({ account }) => page(account, returnTo)),
    Effect.catchTag("PendingOver", () => over(returnTo))
  )
})

const proofOf = (form: Form.Form): FactorProof | Fields.ShownProblem => {
  if (form.value("passkey") === "") return { _tag: "Code", code: form.value("code") }
  const response = PasskeyResponse.read(form.value("passkey"))
  return Option.isSome(response) ? { _tag: "Passkey", response: response.value } : CodeField.REJECTED
}

const handle = Effect.gen(function* () {
  const form = yield* Stranger.posted
  const returnTo = ReturnTo.safe(form.value("return_to"))
  const token = yield* pending
  return yield* Effect.gen(function* () {
    const { account } = yield* describePending(token)
    const proof = proofOf(form)
    if ("field" in proof) return yield* page(account, returnTo, CodeField.refused([proof]))
    const { knownBrowser } = yield* Browser.attempt
    const sent = { pending: token, proof, ...(yield* Browser.client), knownBrowser, form: Visitor.sentForm(form) }
    return yield* finishSignIn(sent).pipe(
      Effect.flatMap((opened) => enter(opened, "password", returnTo, opened.codesLeft)),
      Effect.catchTags(
        CodeField.refusals(proof._tag === "Code" ? "code" : "passkey", (rejected) => page(account, returnTo, rejected))
      )
    )
  }).pipe(Effect.catchTag("PendingOver", () => over(returnTo)))
})

const finish = Visitor.once({ to: (form) => ReturnTo.safe(form.value("return_to")), makesKnown: true }, handle)

/** Starts the new session and ends the browser's earlier session, like a sign-in with the password alone. */
export const enter = (opened: OpenedSession, provedBy: ProvedBy, returnTo: string, codesLeft: number | null) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const { withCookies } = yield* entered(opened, provedBy)
    const answer =
      codesLeft === null
        ? seeOther(returnTo)
        : yield* codeUsed(portalPath(options), returnTo, codesLeft, yield* Visitor.locale(opened))
    return withCookies(Credentials.clearPending(answer, options))
  })

const codeUsed = (portal: string, returnTo: string, left: number, locale: Locale) =>
  respond({
    title: used.title,
    width: "narrow",
    reader: null,
    locale,
    main: html`<h1>${used.title}</h1>
      <p class="lead">${left === 0 ? used.last : used.left(left)}</p>
      <p>${used.lost(`${portal}/settings/second-factor`)}</p>
      <p><a class="button" href="${returnTo}">${used.goOn}</a></p>`
  })

export const routes = [Routes.get("/sign-in/second-step", show), Routes.post("/sign-in/second-step", finish)]
