import { findAskingApp } from "@place-access/domain/consent"
import { ConsentRequestId } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import { HttpOptions, pathOf } from "../HttpOptions.js"
import * as AppLogo from "./appLogo.js"
import { html } from "./kit/Html.js"

/** The request whose consent page comes after the sign-in; none when another page does. */
const requestOf = (returnTo: string, authPath: string): Option.Option<ConsentRequestId> => {
  const before = `${authPath}/authorize/`
  const path = returnTo.replace(/\?.*$/s, "")
  return path.startsWith(before)
    ? Schema.decodeUnknownOption(ConsentRequestId)(path.slice(before.length))
    : Option.none()
}

/** Says why the person is asked to sign in, when an app sent them (decision consent-10). */
export const note = (returnTo: string) =>
  Effect.gen(function* () {
    const id = requestOf(returnTo, pathOf((yield* HttpOptions).authUrl))
    const app = Option.isNone(id) ? Option.none() : yield* findAskingApp(id.value)
    return Option.isSome(app)
      ? html`<div class="note asking">
          ${AppLogo.image(app.value)}
          <p>
            <strong>${app.value.name ?? "An app that is still being tested"}</strong> wants to connect to your account.
            First sign in, then you decide. Nothing is shared before you allow it.
          </p>
        </div>`
      : null
  })
