import { type ConnectionView, listConnections } from "@place-access/domain/connection"
import { Scope, Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as Form from "../kit/Form.js"
import { type Html, html, type Text, type Value } from "../../html/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as ScopeGroup from "../consent/ScopeGroup.js"
import { ofDomain, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import * as AppLogo from "../appLogo.js"
import * as controls from "../steering/controls.js"
import { marks } from "../steering/marks.js"
import { notice } from "./notices.js"

const words = texts.portal.connections

export type ListedConnection = ConnectionView.UserConnection

/**
 * The page of the connected apps: for each app, what it may do, since when and until when, and how to disconnect it.
 */
const list = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const connections = yield* listConnections(visitor.account.id)
      const query = yield* Form.query
      const live = connections.filter((connection) => connection.live)
      const ended = connections.filter((connection) => !connection.live)
      return yield* respond({
        title: words.title,
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/connections`,
        main: html`<h1>${words.title}</h1>
          <p class="lead">${words.lead}</p>
          ${notice(query.value("done"))}
          ${
            live.length === 0
              ? html`<p class="empty">${words.none}</p>`
              : html`${controls.all(portal, live, yield* Visitor.tokenFor(visitor))}
                  <ul class="plain">
                    ${live.map((connection) => card(portal, connection))}
                  </ul>`
          }
          ${
            ended.length > 0 &&
            html`<h2>${words.ended}</h2>
              <ul class="plain">
                ${ended.map(
                  (connection) =>
                    html`<li class="card">
                      <header>
                        <h3 class="named">${AppLogo.icon(connection.app)}${connection.app.name}</h3>
                        ${endedBadge(connection)}
                      </header>
                      <dl>${facts(connection)}</dl>
                      <p class="actions">
                        <a
                          href="${portal}/connections/${connection.id}"
                          aria-label="${words.details}: ${connection.app.name}"
                          >${words.details}</a
                        >
                        <a
                          href="${portal}/access-log?app=${connection.app.id}"
                          aria-label="${words.requests}: ${connection.app.name}"
                          >${words.requests}</a
                        >
                      </p>
                    </li>`
                )}
              </ul>`
          }`
      })
    })
  )

export const endedBadge = ({ endReason }: ListedConnection): Html =>
  endReason === "refresh_token_reused" || endReason === "code_reused"
    ? html`<span class="badge bad">${words.endedForSafety}</span>`
    : html`<span class="badge quiet">${words.ended}</span>`

const card = (portal: string, connection: ListedConnection): Html =>
  html`<li class="card">
    <header>
      <h2 class="named">
        ${AppLogo.icon(connection.app)}<a href="${portal}/connections/${connection.id}">${connection.app.name}</a>
      </h2>
      <span>${controls.pausedBadge(connection)}${marks(connection)}${badge(connection)}</span>
    </header>
    ${connection.pause !== null && html`<p class="soft">${controls.pausedUntil(connection)}</p>`}
    <dl>
      ${facts(connection)}
      <dt>${words.facts.can}</dt>
      <dd>${allowed(connection)}</dd>
    </dl>
    <p class="actions">
      <a
        class="button second"
        href="${portal}/connections/${connection.id}"
        aria-label="${words.open}: ${connection.app.name}"
        >${words.open}</a
      >
    </p>
  </li>`

/**
 * The granted scopes, also the scopes that an admin does not allow the app at present. While the connection is live, a
 * scope that the app cannot use at present has a badge.
 */
export const allowed = ({ heldScopes, limitedScopes, live, scopes }: ListedConnection): Html =>
  heldScopes.length + limitedScopes.length === 0
    ? words.nothing
    : html`<ul class="plain lines">
        ${Scope.normalise([...heldScopes, ...limitedScopes]).map(
          (scope) =>
            html`<li>
              ${ofDomain(Scope.describe[scope])}${live && !scopes.includes(scope) && html` <span class="badge quiet">${words.notNow}</span>`}
            </li>`
        )}
      </ul>`

/** The badges of a live connection's app: whether the app is not in production yet, and whether it is on hold. */
export const badge = ({ app, onHold }: ListedConnection): Value =>
  html`${app.status !== "production" && html`<span class="badge warn">${words.sandbox}</span>`}
  ${onHold && html`<span class="badge warn">${words.onHold}</span>`}`

/** When and why the connection ended. False for a connection that has not ended. */
const end = ({ endReason, endedAt }: ListedConnection): Value =>
  endedAt !== null &&
  html`<dt>${words.facts.ended}</dt>
    <dd>${words.facts.endedAt(time(endedAt), words.reasons[endReason ?? "expired"])}</dd>`

const lastUsed = ({ lastUsedAt }: ListedConnection): Html =>
  html`<dt>${words.facts.lastUsed}</dt>
    <dd>${lastUsedAt === null ? words.facts.never : time(lastUsedAt)}</dd>`

export const facts = (connection: ListedConnection): Html => (connection.live ? now(connection) : then(connection))

/**
 * The facts of an ended connection. The end dates that the user once chose are left out: a reader would mistake them
 * for the date on which the connection ended.
 */
const then = (connection: ListedConnection): Html =>
  html`<dt>${words.facts.connected}</dt>
    <dd>${time(connection.connectedAt)}</dd>
    ${end(connection)} ${lastUsed(connection)}
    <dt>${words.facts.couldAskAbout}</dt>
    <dd>${placesOf(connection)}</dd>`

/**
 * What the app can ask about: the shared places, and areas that it chooses if it has a permission for them. An archived
 * place stays shared, so that the app can read past visits there (decision M1).
 */
const placesOf = ({ heldScopes, places }: ListedConnection): Text => {
  const areas = ScopeGroup.has(heldScopes, "areas")
  if (places.length === 0) return areas ? words.facts.onlyAreas : words.facts.noPlace
  const labels = places.map(
    ({ archivedAt, label }, index) =>
      html`${index > 0 && ", "}${archivedAt === null ? label : words.facts.archived(label)}`
  )
  return html`${labels}${areas && html`, ${words.facts.areas}`}`
}

const now = (connection: ListedConnection): Html => {
  const { connectedAt, grantExpiresAt, onHold, renewalGraceEndsAt, sensitiveExpiresAt, sensitiveLapsedAt } = connection
  return html`${
      onHold &&
      html`<dt>${words.facts.now}</dt>
        <dd>${words.onHoldText}</dd>`
    }
    <dt>${words.facts.connected}</dt>
    <dd>${time(connectedAt)}</dd>
    <dt>${words.facts.ends}</dt>
    <dd>${grantExpiresAt === null ? words.facts.onDisconnect : time(grantExpiresAt)}</dd>
    ${lastUsed(connection)}
    <dt>${words.facts.canAskAbout}</dt>
    <dd>${placesOf(connection)}</dd>
    ${
      sensitiveExpiresAt !== null &&
      html`<dt>${words.facts.exactLocation}</dt>
        <dd>
          ${
            sensitiveLapsedAt === null
              ? words.facts.exactUntil(time(Timestamp.earlier(sensitiveExpiresAt, grantExpiresAt)))
              : renewalGraceEndsAt === null
                ? words.facts.exactEnded(time(sensitiveLapsedAt))
                : words.facts.exactInGrace(
                    time(sensitiveLapsedAt),
                    time(Timestamp.earlier(renewalGraceEndsAt, grantExpiresAt))
                  )
          }
        </dd>`
    }`
}

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [Routes.get(`${portal}/connections`, list(portal))]
}
