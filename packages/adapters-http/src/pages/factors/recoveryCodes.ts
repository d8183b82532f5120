import { replaceRecoveryCodes } from "@place-access/domain/factors"
import { Effect } from "effect"
import { html, type Text } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond } from "../kit/Page.js"
import * as Visitor from "../kit/Visitor.js"

const words = texts.factors.shownOnce

/** The page that shows new recovery codes; no later page shows them again. `done`: what happened, as a heading. */
export const showCodes = (
  portal: string,
  visitor: Visitor.Visitor,
  { codes, done }: { readonly codes: ReadonlyArray<string>; readonly done: Text }
) =>
  Effect.gen(function* () {
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      main: html`<h1>${done}</h1>
        <p class="lead">${words.lead}</p>
        <div class="note warn">
          <p>${words.once}</p>
        </div>
        <div class="card">
          <ul class="plain codes">
            ${codes.map((code) => html`<li><code>${code}</code></li>`)}
          </ul>
        </div>
        <p><a class="button" href="${portal}/settings/second-factor">${words.kept}</a></p>`
    })
  })

export const newCodes = (portal: string) =>
  Visitor.fresh((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const codes = yield* replaceRecoveryCodes(visitor.account)
      return yield* showCodes(portal, visitor, { codes, done: words.renewed })
    })
  )
