import { describeFactors, Factors, keepFactors, removeCodeApp, removePasskey } from "@place-access/domain/factors"
import { Timestamp, Words } from "@place-access/domain/shared"
import { Effect } from "effect"
import { canHavePasskeys } from "../../factors/passkeyOptions.js"
import { HttpOptions, portalPath, type ServiceOptions } from "../../HttpOptions.js"
import * as StaffFactor from "../../security/StaffFactor.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html, nothing } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { newCodes } from "./recoveryCodes.js"

/** What a person has beside the password, and the ways to change it. */

const pathOf = (portal: string): string => `${portal}/settings/second-factor`

const page = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const factors = yield* describeFactors(visitor.account)
      const now = yield* Timestamp.now
      const options = yield* HttpOptions
      const token = yield* Visitor.tokenFor(visitor)
      return respond({
        title: "Your second factor",
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/settings`,
        width: "middle",
        main: html`<p><a href="${portal}/settings">Settings</a></p>
          <h1>Your second factor</h1>
          <p class="lead">
            ${
              Factors.isOn(factors)
                ? "Your password alone signs nobody in: we also ask for one of these."
                : "With a second factor, somebody who finds out your password still cannot sign in."
            }
          </p>
          ${notice((yield* Form.query).value("done"))} ${(yield* StaffFactor.isLacking(visitor.account)) && REQUIRED}
          ${Factors.isRemovalPending(factors, now) && removal(portal, factors, token)}
          ${passkeys(portal, factors, token, canHavePasskeys(options))} ${codeApp(portal, factors, token)}
          ${Factors.isOn(factors) && recoveryCodes(portal, factors, token)}
          <p>
            Other browsers stay signed in when you change something here.
            <a href="${portal}/settings/sessions">Where you are signed in</a>
          </p>`
      })
    })
  )

const REQUIRED = html`<div class="note warn">
  <p>
    <strong>You review or administer apps here, and this service requires a second factor for that.</strong> Set one up
    below. Until then you reach only this page.
  </p>
</div>`

const removal = (portal: string, { removal: asked }: Factors.Factors, token: string): Html =>
  asked === null
    ? nothing
    : html`<div class="note warn">
        <p>
          <strong>Somebody asked those who run this service to remove your second factor.</strong> They can do it from
          ${time(Factors.opensAt(asked))} on. Did you not ask for it? Then stop it here.
        </p>
        <form method="post" action="${pathOf(portal)}/keep">
          ${Fields.hidden("form_token", token)}
          <button>Keep my second factor</button>
        </form>
      </div>`

const passkeys = (portal: string, factors: Factors.Factors, token: string, possible: boolean): Html =>
  html`<section class="card" aria-labelledby="passkeys">
    <h2 id="passkeys">Passkeys</h2>
    <p>
      Your phone, your computer or a security key signs you in, with a finger, your face or a PIN. A passkey works only
      on our pages, so nobody can trick you out of it. It also signs you in without the password.
    </p>
    ${
      factors.passkeys.length > 0 &&
      html`<ul class="plain">
        ${factors.passkeys.map(
          ({ createdAt, id, name, usedAt }) =>
            html`<li>
              <p>
                <strong>${name}</strong><br /><span class="soft small"
                  >Added ${time(createdAt)}, ${usedAt === null ? "never used" : html`last used ${time(usedAt)}`}</span
                >
              </p>
              <form method="post" action="${pathOf(portal)}/passkeys/${id}/remove">
                ${Fields.hidden("form_token", token)}
                <button class="second" aria-label="Remove the passkey ${name}">Remove</button>
              </form>
            </li>`
        )}
      </ul>`
    }
    ${
      possible
        ? factors.passkeys.length < Factors.MAX_PASSKEYS &&
          html`<p><a class="button second" href="${pathOf(portal)}/add-passkey">Add a passkey…</a></p>`
        : html`<p class="note">
            Passkeys need a name in the address of the service. This service runs at a network address.
          </p>`
    }
  </section>`

const codeApp = (portal: string, factors: Factors.Factors, token: string): Html =>
  html`<section class="card" aria-labelledby="codes">
    <h2 id="codes">One-time codes</h2>
    <p>An app on your phone shows six digits, which change every 30 seconds. It needs no network.</p>
    ${
      Factors.hasCodeApp(factors)
        ? html`<p><span class="badge">On</span></p>
            <form method="post" action="${pathOf(portal)}/app/remove">
              ${Fields.hidden("form_token", token)}
              <button class="second">Remove the app</button>
            </form>`
        : html`<form method="post" action="${pathOf(portal)}/app/begin">
            ${Fields.hidden("form_token", token)}
            <button class="second">Set up an app…</button>
          </form>`
    }
  </section>`

const recoveryCodes = (portal: string, { recoveryCodes: left }: Factors.Factors, token: string): Html =>
  html`<section class="card" aria-labelledby="recovery">
    <h2 id="recovery">Recovery codes</h2>
    <p>
      ${left.length === 0 ? "No recovery code is" : `${Words.count(left.length, "recovery code")} ${left.length === 1 ? "is" : "are"}`}
      left. Each signs you in once in place of your second factor. New ones replace the ones before.
    </p>
    <p class="soft small">
      Did you lose everything, these codes too? Ask those who run this service. They can remove your second factor, but
      only three days after they were asked, and you get a mail first.
    </p>
    <form method="post" action="${pathOf(portal)}/recovery-codes">
      ${Fields.hidden("form_token", token)}
      <button class="second">Make new recovery codes</button>
    </form>
  </section>`

/** A change that needs a fresh sign-in. */
const changing = <E, R>(
  portal: string,
  done: string,
  act: (visitor: Visitor.Visitor) => Effect.Effect<unknown, E, R>
) =>
  Visitor.fresh((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      yield* act(visitor)
      return seeOther(`${pathOf(portal)}?done=${done}`)
    })
  )

/** Staying as safe as before needs no fresh sign-in. */
const keep = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      yield* keepFactors(visitor.account)
      return seeOther(`${pathOf(portal)}?done=factor-kept`)
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  const path = pathOf(portal)
  return [
    Routes.get(path, page(portal)),
    Routes.post(`${path}/keep`, keep(portal)),
    Routes.post(
      `${path}/passkeys/:id/remove`,
      changing(portal, "passkey-removed", ({ account }) =>
        Effect.flatMap(param("id", Factors.PasskeyId, "passkey"), (id) => removePasskey(account, id))
      )
    ),
    Routes.post(
      `${path}/app/remove`,
      changing(portal, "code-app-removed", ({ account }) => removeCodeApp(account))
    ),
    Routes.post(`${path}/recovery-codes`, newCodes(portal))
  ]
}
