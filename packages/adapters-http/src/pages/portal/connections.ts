import { type ConnectionView, listConnections } from "@place-access/domain/connection"
import { Scope } from "@place-access/domain/shared"
import { Effect } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Form from "../kit/Form.js"
import { type Html, html, type Value } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import * as controls from "../steering/controls.js"
import { notice } from "./notices.js"

export type ListedConnection = ConnectionView.UserConnection

/** The page of connected apps: what each may do, since when, until when, and how to end it. */
const list = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const connections = yield* listConnections(visitor.account.id)
      const query = yield* Form.query
      const live = connections.filter((connection) => connection.live)
      const ended = connections.filter((connection) => !connection.live)
      return respond({
        title: "Connected apps",
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/connections`,
        main: html`<h1>Connected apps</h1>
          <p class="lead">These apps can ask about you. You can pause, change and end each of them at any time.</p>
          ${notice(query.value("done"))}
          ${
            live.length === 0
              ? html`<p class="empty">
                  No app is connected. Connections begin in the app: it sends you here to decide.
                </p>`
              : html`${controls.all(portal, live, yield* Visitor.tokenFor(visitor))}
                  <ul class="plain">
                    ${live.map((connection) => card(portal, connection))}
                  </ul>`
          }
          ${
            ended.length > 0 &&
            html`<h2>Ended</h2>
              <ul class="plain">
                ${ended.map(
                  (connection) =>
                    html`<li class="card">
                      <header>
                        <h3>${connection.app.name}</h3>
                        ${endedBadge(connection)}
                      </header>
                      <dl>${facts(connection)}</dl>
                      <p class="actions">
                        <a href="${portal}/connections/${connection.id}">Details</a>
                        <a href="${portal}/access-log?app=${connection.app.id}">Its requests</a>
                      </p>
                    </li>`
                )}
              </ul>`
          }`
      })
    })
  )

export const REASONS: Readonly<Record<NonNullable<ListedConnection["endReason"]>, string>> = {
  user_disconnected: "you disconnected it",
  app_revoked_token: "the app ended it",
  admin_revoked: "an admin closed the app permanently",
  expired: "the time that you allowed was over",
  refresh_token_reused: "a token of the app was used twice, so it may have been stolen",
  code_reused: "a code of the app was used twice, so it may have been stolen"
}

export const endedBadge = ({ endReason }: ListedConnection): Html =>
  endReason === "refresh_token_reused" || endReason === "code_reused"
    ? html`<span class="badge bad">Ended for your safety</span>`
    : html`<span class="badge quiet">Ended</span>`

const card = (portal: string, connection: ListedConnection): Html =>
  html`<li class="card">
    <header>
      <h2><a href="${portal}/connections/${connection.id}">${connection.app.name}</a></h2>
      <span>${controls.pausedBadge(connection)}${badge(connection)}</span>
    </header>
    <dl>
      ${facts(connection)}
      <dt>Can</dt>
      <dd>${allowed(connection)}</dd>
    </dl>
    <p class="actions">
      <a class="button second" href="${portal}/connections/${connection.id}">See details or disconnect</a>
    </p>
  </li>`

/** The scopes of a connection. Scopes that the app holds but cannot use now are marked. */
export const allowed = ({ heldScopes, live, scopes }: ListedConnection): Html =>
  heldScopes.length === 0
    ? html`Nothing`
    : html`<ul class="plain lines">
        ${heldScopes.map(
          (scope) =>
            html`<li>
              ${Scope.describe[scope]}${live && !scopes.includes(scope) && html` <span class="badge quiet">Not now</span>`}
            </li>`
        )}
      </ul>`

export const badge = ({ app }: ListedConnection): Value =>
  app.status === "production" ? null : html`<span class="badge warn">Sandbox</span>`

/** When and why the connection ended, if it has. */
const end = ({ endReason, endedAt }: ListedConnection): Value =>
  endedAt !== null &&
  html`<dt>Ended</dt>
    <dd>${time(endedAt)}: ${REASONS[endReason ?? "expired"]}</dd>`

const lastUsed = ({ lastUsedAt }: ListedConnection): Html =>
  html`<dt>Last used</dt>
    <dd>${lastUsedAt === null ? "Never" : time(lastUsedAt)}</dd>`

export const facts = (connection: ListedConnection): Html => (connection.live ? now(connection) : then(connection))

/** The dates of a live connection. For an ended connection its dates would only mislead. */
const then = (connection: ListedConnection): Html =>
  html`<dt>Connected</dt>
    <dd>${time(connection.connectedAt)}</dd>
    ${end(connection)} ${lastUsed(connection)}
    <dt>Could ask about</dt>
    <dd>${placesOf(connection)}</dd>`

const placesOf = ({ places }: ListedConnection): string =>
  places.length === 0 ? "None of your places" : places.map(({ label }) => label).join(", ")

const now = (connection: ListedConnection): Html => {
  const { connectedAt, grantExpiresAt, renewalGraceEndsAt, sensitiveExpiresAt, sensitiveLapsedAt } = connection
  return html`<dt>Connected</dt>
    <dd>${time(connectedAt)}</dd>
    <dt>Ends</dt>
    <dd>${grantExpiresAt === null ? "When you disconnect it" : time(grantExpiresAt)}</dd>
    ${lastUsed(connection)}
    <dt>Can ask about</dt>
    <dd>${placesOf(connection)}</dd>
    ${
      sensitiveExpiresAt !== null &&
      html`<dt>Exact location</dt>
        <dd>
          ${
            sensitiveLapsedAt === null
              ? html`Until ${time(sensitiveExpiresAt)}`
              : html`Ended
                ${time(sensitiveLapsedAt)}${renewalGraceEndsAt !== null && html`; the app may ask you to renew it until ${time(renewalGraceEndsAt)}`}`
          }
        </dd>`
    }`
}

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [Routes.get(`${portal}/connections`, list(portal))]
}
