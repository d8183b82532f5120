import { issueChallenge, signInWithPasskey } from "@place-access/domain/factors"
import { Rate, Subject } from "@place-access/domain/limits"
import { Effect, Option } from "effect"
import { clientAddress } from "../../edge/ClientAddress.js"
import { canHavePasskeys, toSign } from "../../factors/passkeyOptions.js"
import * as PasskeyResponse from "../../factors/passkeyResponse.js"
import { HttpOptions } from "../../HttpOptions.js"
import * as RateLimit from "../../limits/RateLimit.js"
import * as Browser from "../../security/Browser.js"
import * as AskingApp from "../askingApp.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond, seeOther } from "../kit/Page.js"
import * as ReturnTo from "../kit/ReturnTo.js"
import * as Routes from "../kit/Routes.js"
import * as Stranger from "../kit/Stranger.js"
import { passkeyForm, passkeyPolicy, withoutPasskeys } from "./passkeyForm.js"
import { enter } from "./secondStep.js"

const words = texts.factors.signIn

/** The page on which a person signs in with a passkey in place of the password. */

const LABELS = { passkey: texts.factors.asked.passkey }

const page = (returnTo: string, isRejected = false) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    if (!canHavePasskeys(options)) return seeOther(ReturnTo.signIn(returnTo))
    // Each request for this page stores a challenge for five minutes, so the requests are counted against a limit.
    yield* RateLimit.take(Subject.challenge(yield* clientAddress), Rate.CHALLENGES)
    const challenge = yield* issueChallenge({ _tag: "SignIn" })
    const policy = yield* passkeyPolicy
    const asking = yield* AskingApp.note(returnTo)
    const problems = [{ field: "passkey", message: words.rejected }]
    const form: Fields.Shown = { values: () => "", problems: isRejected ? problems : [] }
    return yield* Stranger.bound((formToken, zone) =>
      respond({
        title: words.title,
        width: "narrow",
        reader: null,
        status: isRejected ? 401 : 200,
        passkey: policy,
        zone,
        main: html`<h1>${words.title}</h1>
          ${asking} ${Fields.problems(form, LABELS)} ${withoutPasskeys(words.without)}
          ${passkeyForm({
            action: "/sign-in/passkey",
            does: "get",
            options: toSign(options, challenge, { alone: true, passkeys: [] }),
            hidden: { form_token: formToken, return_to: returnTo },
            button: words.button
          })}
          <p><a href="${ReturnTo.signIn(returnTo)}">${words.password}</a></p>`
      })
    )
  })

const show = Effect.flatMap(Form.query, (query) => page(ReturnTo.safe(query.value("return_to"))))

const post = Effect.gen(function* () {
  const form = yield* Stranger.posted
  const returnTo = ReturnTo.safe(form.value("return_to"))
  const response = PasskeyResponse.read(form.value("passkey"))
  if (Option.isNone(response)) return yield* page(returnTo, true)
  return yield* signInWithPasskey(response.value, yield* Browser.client).pipe(
    Effect.flatMap((opened) => enter(opened, "passkey", returnTo, null)),
    Effect.catchTag("WrongFactor", () => page(returnTo, true))
  )
})

export const routes = [Routes.get("/sign-in/passkey", show), Routes.post("/sign-in/passkey", post)]
