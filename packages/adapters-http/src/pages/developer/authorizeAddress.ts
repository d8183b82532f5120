import { App } from "@place-access/domain/apps"
import { Purpose } from "@place-access/domain/purposes"
import { Scope } from "@place-access/domain/shared"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"

const words = texts.developer.app

/**
 * The address to which the app sends a user's browser; false before a redirect URI is registered. The address
 * requests every scope that the app may request at present. With no scope, or with another scope, the service would
 * send the browser back with the error `invalid_scope`.
 */
export const section = (app: App.App, purposes: ReadonlyArray<Purpose.Purpose>, authUrl: string): Html | false => {
  const [redirectUri] = app.redirectUris
  if (redirectUri === undefined) return false
  const covered: ReadonlyArray<Scope.Scope> = Purpose.coveredScopes(purposes, app.status)
  const canAsk = (scope: Scope.Scope): boolean => !Scope.isSensitive(scope) || covered.includes(scope)
  const scopes = App.scopes(app).filter(canAsk)
  const leftOut = App.scopes(app).filter((scope) => !canAsk(scope))
  return html`<section class="card" aria-labelledby="authorize">
    <h2 id="authorize">${words.authorize}</h2>
    ${scopes.length === 0 ? html`<p>${words.authorizeNone}</p>` : address(app, redirectUri, scopes, authUrl)}
    ${
      leftOut.length > 0 &&
      html`<p class="soft">
        ${words.authorizeLeftOut(html`${leftOut.map((scope, index) => html`${index > 0 && ", "}<code>${scope}</code>`)}`)}
      </p>`
    }
  </section>`
}

const address = (app: App.App, redirectUri: string, scopes: ReadonlyArray<Scope.Scope>, authUrl: string): Html => {
  const query = new URLSearchParams({
    client_id: app.id,
    redirect_uri: redirectUri,
    scope: scopes.join(" "),
    code_challenge: "CODE_CHALLENGE",
    code_challenge_method: "S256",
    state: "STATE"
  })
  return html`<p>${words.authorizeText}</p>
    <div class="field">
      <label for="authorize-url">${words.authorizeUrl}</label
      ><textarea class="code" id="authorize-url" readonly>${`${authUrl}/authorize?${query.toString()}`}</textarea>
    </div>`
}
