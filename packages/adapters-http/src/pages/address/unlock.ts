import { AccountLink, describeUnlock } from "@place-access/domain/credentials"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { mailUnlockLink, unlockBrowser } from "../../credentials/addressLinks.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Stranger from "../kit/Stranger.js"
import { deadLink } from "./deadLink.js"
import { mailedLink } from "./mailedLink.js"

const MINUTES = AccountLink.LIFETIMES.unlock / Timestamp.MINUTE

const asking = mailedLink({
  path: "/unlock-link",
  title: "Sign in although others guess",
  lead: html`<p>
    After five wrong passwords, sign-in is closed for a quarter of an hour to browsers that you did not use before. We
    mail you a link: the browser in which you open it can sign in at once. It works once, for ${MINUTES} minutes.
  </p>`,
  foot: html`<p>You do not know your password? <a href="/forgot-password">Set a new one</a></p>`,
  minutes: MINUTES,
  mail: mailUnlockLink
})

const dead = deadLink(
  `It was used already, it is older than ${MINUTES} minutes, or the password was changed after it was mailed.`,
  html`<p><a class="button" href="/unlock-link">Send me a new link</a></p>`
)

/** Opening the link changes nothing: programs that look for viruses in mail open links too. */
const show = Effect.gen(function* () {
  const token = (yield* Form.query).value("token")
  const { email } = yield* describeUnlock(token)
  return yield* Stranger.bound((formToken) =>
    respond({
      title: "Let this browser sign in",
      width: "narrow",
      reader: null,
      main: html`<h1>Let this browser sign in</h1>
        <p>
          Then you can sign in to ${email} with this browser, whatever others type elsewhere. You need your password as
          well.
        </p>
        <form method="post" action="/unlock" class="card">
          ${Fields.hidden("form_token", formToken)} ${Fields.hidden("token", token)}
          <button class="wide">Let this browser sign in</button>
        </form>
        <p class="soft small">Is this not your own browser? Then open the link in yours.</p>`
    })
  )
}).pipe(Effect.catchTag("NotFound", () => Effect.succeed(dead)))

const unlock = Effect.gen(function* () {
  const form = yield* Stranger.posted
  const { account, withCookie } = yield* unlockBrowser(form.value("token"))
  return withCookie(
    respond({
      title: "This browser can sign in",
      width: "narrow",
      reader: null,
      main: html`<h1>This browser can sign in</h1>
        <p>Sign in to ${account.email} now, with your password.</p>
        <p class="actions">
          <a class="button" href="/sign-in">Sign in</a> <a href="/forgot-password">Set a new password</a>
        </p>`
    })
  )
}).pipe(Effect.catchTag("NotFound", () => Effect.succeed(dead)))

export const routes = [...asking, Routes.get("/unlock", show), Routes.post("/unlock", unlock)]
