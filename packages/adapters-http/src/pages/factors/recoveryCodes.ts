import { replaceRecoveryCodes } from "@place-access/domain/factors"
import { Effect } from "effect"
import { html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Visitor from "../kit/Visitor.js"

/** The page that shows recovery codes, once. `done`: what happened, as a heading. */
export const showCodes = (
  portal: string,
  visitor: Visitor.Visitor,
  { codes, done }: { readonly codes: ReadonlyArray<string>; readonly done: string }
) =>
  Effect.gen(function* () {
    return respond({
      title: "Your recovery codes",
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      main: html`<h1>${done}</h1>
        <p class="lead">These recovery codes sign you in when you do not have your second factor.</p>
        <div class="note warn">
          <p>
            <strong>They are shown once.</strong> Print them or write them down, and keep them apart from your password.
            Each code works once.
          </p>
        </div>
        <div class="card">
          <ul class="plain codes">
            ${codes.map((code) => html`<li><code>${code}</code></li>`)}
          </ul>
        </div>
        <p><a class="button" href="${portal}/settings/second-factor">I have kept them</a></p>`
    })
  })

/** New codes in place of the present ones. */
export const newCodes = (portal: string) =>
  Visitor.fresh((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const codes = yield* replaceRecoveryCodes(visitor.account)
      return yield* showCodes(portal, visitor, { codes, done: "Your new recovery codes" })
    })
  )
