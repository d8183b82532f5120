import { AccountLink, describeUnlock } from "@place-access/domain/credentials"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { mailUnlockLink, unlockBrowser } from "../../credentials/addressLinks.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond } from "../kit/Page.js"
import * as ReturnTo from "../kit/ReturnTo.js"
import * as Routes from "../kit/Routes.js"
import * as Stranger from "../kit/Stranger.js"
import { deadLink } from "./deadLink.js"
import { mailedLink } from "./mailedLink.js"

const words = texts.signIn.unlocking

const MINUTES = AccountLink.LIFETIMES.unlock / Timestamp.MINUTE

const asking = mailedLink({
  path: "/unlock-link",
  title: words.title,
  lead: html`<p>${words.lead(MINUTES)}</p>`,
  foot: (returnTo) => html`<p>${words.unknown(ReturnTo.forgotPassword(returnTo))}</p>`,
  minutes: MINUTES,
  mail: mailUnlockLink
})

const dead = deadLink(
  texts.signIn.deadLink.unlock(MINUTES),
  html`<p><a class="button" href="/unlock-link">${texts.signIn.deadLink.sendNew}</a></p>`
)

/**
 * Opening the mailed link only shows this page and changes nothing: programs that look for viruses in mail open links
 * too.
 */
const show = Effect.gen(function* () {
  const token = (yield* Form.query).value("token")
  const { email } = yield* describeUnlock(token)
  return yield* Stranger.bound((formToken) =>
    respond({
      title: words.open,
      width: "narrow",
      reader: null,
      main: html`<h1>${words.open}</h1>
        <p>${words.openText(email)}</p>
        <form method="post" action="/unlock" class="card">
          ${Fields.hidden("form_token", formToken)} ${Fields.hidden("token", token)}
          <button class="wide">${words.open}</button>
        </form>
        <p class="soft small">${words.notYours}</p>`
    })
  )
}).pipe(Effect.catchTag("NotFound", () => dead))

const unlock = Effect.gen(function* () {
  const form = yield* Stranger.posted
  const { account, withCookie } = yield* unlockBrowser(form.value("token"))
  return withCookie(
    yield* respond({
      title: words.done,
      width: "narrow",
      reader: null,
      main: html`<h1>${words.done}</h1>
        <p>${words.doneText(account.email)}</p>
        <p class="actions">
          <a class="button" href="/sign-in">${texts.signIn.title}</a> <a href="/forgot-password">${words.setNew}</a>
        </p>`
    })
  )
}).pipe(Effect.catchTag("NotFound", () => dead))

export const routes = [...asking, Routes.get("/unlock", show), Routes.post("/unlock", unlock)]
