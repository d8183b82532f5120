import { findAskingApp } from "@place-access/domain/consent"
import { ConsentRequestId } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import { HttpOptions, pathOf } from "../HttpOptions.js"
import * as AppLogo from "./appLogo.js"
import { html } from "../html/Html.js"
import { texts } from "../languages/index.js"

const words = texts.signIn

/**
 * The consent request to whose page the person returns after the sign-in. None if the person returns to another page.
 */
const requestOf = (returnTo: string, authPath: string): Option.Option<ConsentRequestId> => {
  const before = `${authPath}/authorize/`
  const path = returnTo.replace(/\?.*$/s, "")
  return path.startsWith(before)
    ? Schema.decodeUnknownOption(ConsentRequestId)(path.slice(before.length))
    : Option.none()
}

/**
 * The note on the pages for signing in and signing up, for a person whom an app sent to the consent page. The note says
 * why the person has to sign in (decision consent-10). Null when there is no such app, or when the request cannot be
 * answered any more.
 */
export const note = (returnTo: string) =>
  Effect.gen(function* () {
    const id = requestOf(returnTo, pathOf((yield* HttpOptions).authUrl))
    const app = Option.isNone(id) ? Option.none() : yield* findAskingApp(id.value)
    return Option.isSome(app)
      ? html`<div class="note asking">
          ${AppLogo.image(app.value)}
          <p>${app.value.name === null ? words.askingUnnamed : words.asking(app.value.name)}</p>
        </div>`
      : null
  })
