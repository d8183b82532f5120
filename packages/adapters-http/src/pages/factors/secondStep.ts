import type { Account } from "@place-access/domain/accounts"
import {
  describeFactors,
  describePending,
  type FactorProof,
  finishSignIn,
  issueChallenge
} from "@place-access/domain/factors"
import { Words } from "@place-access/domain/shared"
import { HttpServerRequest } from "@effect/platform"
import { Effect, Option } from "effect"
import { canHavePasskeys, toSign } from "../../factors/passkeyOptions.js"
import * as PasskeyResponse from "../../factors/passkeyResponse.js"
import { entered, type OpenedSession } from "../../accounts/enter.js"
import { HttpOptions, portalPath } from "../../HttpOptions.js"
import * as Browser from "../../security/Browser.js"
import * as Credentials from "../../security/Credentials.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import * as ReturnTo from "../kit/ReturnTo.js"
import * as Routes from "../kit/Routes.js"
import * as Stranger from "../kit/Stranger.js"
import * as Asked from "./codeAsked.js"
import { passkeyForm, passkeyPolicy } from "./passkeyForm.js"

/** The second step of a sign-in: the password was right, and nobody is signed in yet (decision factors-8). */

const pending = Effect.gen(function* () {
  return Credentials.pendingToken(yield* HttpServerRequest.HttpServerRequest, yield* HttpOptions) ?? ""
})

const page = (account: Account.Account, returnTo: string, again: Asked.RejectedFactor = Asked.FIRST_TIME) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const { passkeys } = yield* describeFactors(account)
    const asks = passkeys.length > 0 && canHavePasskeys(options)
    const challenge = asks ? yield* issueChallenge({ _tag: "SecondStep", userId: account.id }) : ""
    const policy = yield* passkeyPolicy
    const form: Fields.Shown = { values: () => "", problems: again.problems }
    return yield* Stranger.bound((formToken) =>
      respond({
        title: "Your second factor",
        width: "narrow",
        reader: null,
        status: again.status,
        headers: again.headers,
        ...(asks ? { passkey: policy } : {}),
        main: html`<h1>Your second factor</h1>
          <p class="lead">Your password is right. Now show that it is you, within ten minutes.</p>
          ${Fields.problems(form, Asked.LABELS)}
          ${
            asks &&
            passkeyForm({
              action: "/sign-in/second-step",
              does: "get",
              options: toSign(options, challenge, { alone: false, passkeys }),
              hidden: { form_token: formToken, return_to: returnTo },
              button: "Use a passkey"
            })
          }
          <form method="post" action="/sign-in/second-step" class="card">
            ${Fields.hidden("form_token", formToken)} ${Fields.hidden("return_to", returnTo)} ${Asked.codeField(form)}
            <button class="wide">Sign in</button>
          </form>
          <p><a href="${ReturnTo.signIn(returnTo)}">Begin again</a></p>
          <details>
            <summary>You have neither?</summary>
            <p>
              Ask those who run this service. They can remove your second factor, but only three days after they were
              asked. You get a mail at once, and can stop it.
            </p>
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

const proofOf = (form: Form.Form): FactorProof | FieldProblem => {
  if (form.value("passkey") === "") return { _tag: "Code", code: form.value("code") }
  const response = PasskeyResponse.read(form.value("passkey"))
  return Option.isSome(response) ? { _tag: "Passkey", response: response.value } : Asked.REJECTED
}

const finish = Effect.gen(function* () {
  const form = yield* Stranger.posted
  const returnTo = ReturnTo.safe(form.value("return_to"))
  const token = yield* pending
  return yield* Effect.gen(function* () {
    const { account } = yield* describePending(token)
    const proof = proofOf(form)
    if ("field" in proof) return yield* page(account, returnTo, Asked.refused([proof]))
    return yield* finishSignIn({ pending: token, proof, ...(yield* Browser.client) }).pipe(
      Effect.flatMap((opened) => enter(opened, returnTo, opened.codesLeft)),
      Effect.catchTags(
        Asked.refusals(proof._tag === "Code" ? "code" : "passkey", (rejected) => page(account, returnTo, rejected))
      )
    )
  }).pipe(Effect.catchTag("PendingOver", () => over(returnTo)))
})

/** Starts the new session and ends the browser's earlier one, like a sign-in with the password alone. */
export const enter = (opened: OpenedSession, returnTo: string, codesLeft: number | null) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const { withCookies } = yield* entered(opened)
    const answer = codesLeft === null ? seeOther(returnTo) : codeUsed(portalPath(options), returnTo, codesLeft)
    return withCookies(Credentials.clearPending(answer, options))
  })

const codeUsed = (portal: string, returnTo: string, left: number) =>
  respond({
    title: "You used a recovery code",
    width: "narrow",
    reader: null,
    main: html`<h1>You used a recovery code</h1>
      <p class="lead">
        You are signed in. This code does not work again.
        ${left === 0 ? "It was your last one." : `You have ${Words.count(left, "code")} left.`}
      </p>
      <p>
        Did you lose your second factor? Then remove it and set up another one now:
        <a href="${portal}/settings/second-factor">your second factor</a>.
      </p>
      <p><a class="button" href="${returnTo}">Go on</a></p>`
  })

export const routes = [Routes.get("/sign-in/second-step", show), Routes.post("/sign-in/second-step", finish)]
