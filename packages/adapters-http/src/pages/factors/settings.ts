import { describeFactors, Factors, keepFactors, removeCodeApp, removePasskey } from "@place-access/domain/factors"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { canHavePasskeys } from "../../factors/passkeyOptions.js"
import { HttpOptions, portalPath, type ServiceOptions } from "../../HttpOptions.js"
import * as StaffFactor from "../../security/StaffFactor.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html, nothing, type Text } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { getsMail } from "../settings/unconfirmed.js"
import { newCodes } from "./recoveryCodes.js"

const words = texts.factors

/** The page that lists a person's second factors, and the forms that change these factors. */

const pathOf = (portal: string): string => `${portal}/settings/second-factor`

const page = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const factors = yield* describeFactors(visitor.account)
      const now = yield* Timestamp.now
      const options = yield* HttpOptions
      const token = yield* Visitor.tokenFor(visitor)
      const last = (yield* StaffFactor.isRequired(visitor.account)) ? words.removeOnlyOfStaff : words.removeOnly
      return yield* respond({
        title: words.title,
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/settings`,
        width: "middle",
        main: html`<p><a href="${portal}/settings">${texts.frame.settings}</a></p>
          <h1>${words.title}</h1>
          <p class="lead">${Factors.isOn(factors) ? words.isOn : words.isOff}</p>
          ${notice((yield* Form.query).value("done"))} ${(yield* StaffFactor.isLacking(visitor.account)) && REQUIRED}
          ${Factors.isRemovalPending(factors, now) && removal(portal, factors, token)}
          ${passkeys(portal, factors, token, { possible: canHavePasskeys(options), last })}
          ${codeApp(portal, factors, token, last)}
          ${Factors.isOn(factors) && recoveryCodes(portal, factors.recoveryCodes, token, getsMail(visitor.account))}
          <p>
            ${words.otherBrowsers}
            <a href="${portal}/settings/sessions">${words.sessions}</a>
          </p>`
      })
    })
  )

const REQUIRED = html`<div class="note warn">
  <p>${words.required}</p>
</div>`

const removal = (portal: string, { removal: requested }: Factors.Factors, token: string): Html =>
  requested === null
    ? nothing
    : html`<div class="note warn">
        <p>${words.removal.text(time(Factors.opensAt(requested)))}</p>
        <form method="post" action="${pathOf(portal)}/keep">
          ${Fields.hidden("form_token", token)}
          <button>${words.removal.keep}</button>
        </form>
      </div>`

const usage = (createdAt: Timestamp.Timestamp, usedAt: Timestamp.Timestamp | null): Html =>
  usedAt === null ? words.passkeys.neverUsed(time(createdAt)) : words.passkeys.used(time(createdAt), time(usedAt))

/**
 * Facts for the section about passkeys. `possible`: whether the address of this service allows passkeys. `last`: a text
 * that says what the removal of the only factor means for the person.
 */
interface Passkeys {
  readonly possible: boolean
  readonly last: Text
}

const passkeys = (portal: string, factors: Factors.Factors, token: string, { last, possible }: Passkeys): Html =>
  html`<section class="card" aria-labelledby="passkeys">
    <h2 id="passkeys">${words.passkeys.heading}</h2>
    <p>${words.passkeys.text}</p>
    ${
      factors.passkeys.length > 0 &&
      html`<ul class="plain">
        ${factors.passkeys.map(
          ({ createdAt, id, name, usedAt }) =>
            html`<li>
              <p><strong>${name}</strong><br /><span class="soft small">${usage(createdAt, usedAt)}</span></p>
              ${removalOf(factors, {
                action: `${pathOf(portal)}/passkeys/${id}/remove`,
                token,
                name: words.passkeys.removeOne(name),
                button: words.remove,
                last
              })}
            </li>`
        )}
      </ul>`
    }
    ${
      possible
        ? factors.passkeys.length < Factors.MAX_PASSKEYS &&
          html`<p><a class="button second" href="${pathOf(portal)}/add-passkey">${words.passkeys.add}</a></p>`
        : html`<p class="note">${words.passkeys.impossible}</p>`
    }
  </section>`

const codeApp = (portal: string, factors: Factors.Factors, token: string, last: Text): Html =>
  html`<section class="card" aria-labelledby="codes">
    <h2 id="codes">${words.codes.heading}</h2>
    <p>${words.codes.text}</p>
    ${
      Factors.hasCodeApp(factors)
        ? html`${codeAppState(factors)}
          ${removalOf(factors, {
            action: `${pathOf(portal)}/app/remove`,
            token,
            name: words.codes.remove,
            button: words.codes.remove,
            last
          })}`
        : html`<form method="post" action="${pathOf(portal)}/app/begin">
            ${Fields.hidden("form_token", token)}
            <button class="second">${words.codes.setUp}</button>
          </form>`
    }
  </section>`

const codeAppState = (factors: Factors.Factors): Html =>
  Factors.isCodeAppClosed(factors)
    ? html`<p><span class="badge warn">${words.codes.isClosed}</span></p>
        <p>${words.codes.closed}</p>`
    : html`<p><span class="badge">${words.codes.isOn}</span></p>`

interface Removal {
  /** The address to which the form is posted. */
  readonly action: string
  readonly token: string
  /** The heading: what the button does, and the name of the factor. */
  readonly name: Text
  readonly button: Text
  /** A text that says what the removal of the only factor means for the person. */
  readonly last: Text
}

/**
 * The form that removes a factor. The form for the only factor is folded away and says what the removal switches off,
 * because without a factor the recovery codes are deleted too.
 */
const removalOf = (factors: Factors.Factors, { action, button, last, name, token }: Removal): Html => {
  const form = html`<form method="post" action="${action}">
    ${Fields.hidden("form_token", token)}
    <button class="second" aria-label="${name}">${button}</button>
  </form>`
  return Factors.hasOnlyOne(factors)
    ? html`<details>
        <summary>${name}</summary>
        <div>
          <p>${last}</p>
          ${form}
        </div>
      </details>`
    : form
}

/**
 * While the person has recovery codes left, the button that makes new codes is folded away. New codes make the codes
 * that the person keeps on paper worthless.
 */
const recoveryCodes = (portal: string, left: ReadonlyArray<unknown>, token: string, isMailed: boolean): Html => {
  const form = html`<form method="post" action="${pathOf(portal)}/recovery-codes">
    ${Fields.hidden("form_token", token)}
    <button class="second">${words.recovery.make}</button>
  </form>`
  return html`<section class="card" aria-labelledby="recovery">
    <h2 id="recovery">${words.recovery.heading}</h2>
    <p>${left.length === 0 ? words.recovery.none : words.recovery.left(left.length)}</p>
    <p class="soft small">${words.recovery.lost(isMailed)}</p>
    ${
      left.length === 0
        ? form
        : html`<details>
            <summary>${words.recovery.make}</summary>
            <div>
              <p>${words.recovery.endsKept(left.length)}</p>
              ${form}
            </div>
          </details>`
    }
  </section>`
}

/** Handles a form whose change needs a fresh sign-in. */
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

/**
 * Cancels an operator's request to remove the account's second factors. The person needs no fresh sign-in for this,
 * because the account keeps its factors.
 */
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
