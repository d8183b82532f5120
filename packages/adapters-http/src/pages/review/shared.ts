import { type ReviewSubject } from "@place-access/domain/staff"
import type { AnyReviewDecision } from "@place-access/domain/staff"
import { type App } from "@place-access/domain/apps"
import { Account } from "@place-access/domain/accounts"
import { SignUpRequest } from "@place-access/domain/credentials"
import { type DevelopedApp } from "@place-access/domain/staff"
import { type ReviewDecision, Staff } from "@place-access/domain/reviews"
import { AppId, Scope } from "@place-access/domain/shared"
import type { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import type { Shared } from "../../wire/toWire.js"
import * as AppLogo from "../appLogo.js"
import { changeTable } from "../developer/appChange.js"
import { paragraphs, statusBadge } from "../developer/shared.js"
import type * as Form from "../kit/Form.js"
import { Html, html, type Text, webAddress } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { param } from "../kit/Params.js"
import * as Table from "../kit/Table.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"

const words = texts.review

// The parts that the pages of reviewers and of admins share.

export const REVIEW = "/review"
export const ADMIN = "/admin"

type Page<E, R> = (visitor: Visitor.Visitor) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/**
 * A page for reviewers and admins. The page refuses everybody else before it reads any data. The programs behind the
 * page check the role again.
 */
export const asReviewer = <E, R>(page: Page<E, R>) =>
  Visitor.signedIn((visitor) => Effect.zipRight(Staff.requireReviewer(visitor.account), page(visitor)))

export const asAdmin = <E, R>(page: Page<E, R>) =>
  Visitor.signedIn((visitor) => Effect.zipRight(Staff.requireAdmin(visitor.account), page(visitor)))

export const isAdmin = ({ account }: Visitor.Visitor): boolean => Account.hasRole(account, "admin")

export const appId = param("app", AppId, "app")

export const reviewPath = (app: Pick<App.App, "id">): string => `${REVIEW}/apps/${app.id}`
export const adminPath = (app: Pick<App.App, "id">): string => `${ADMIN}/apps/${app.id}`

const PAGE = 50

/**
 * Reads the part of a list at the cursor in the address. When somebody has changed the cursor, the page shows the
 * beginning of the list.
 */
export const fromCursor = <A, R>(
  query: Form.Form,
  list: (page: { readonly limit: number; readonly cursor: string | undefined }) => Effect.Effect<A, Shared, R>
): Effect.Effect<A, Shared, R> => {
  const first = list({ limit: PAGE, cursor: undefined })
  const cursor = query.value("cursor")
  return cursor === "" ? first : Effect.catchTag(list({ limit: PAGE, cursor }), "Invalid", () => first)
}

export const pager = (
  path: string,
  query: Form.Form,
  nextCursor: string | null,
  labels: { readonly first: Html; readonly next: Html } = { first: words.newest, next: words.older }
): Html | false => {
  const isFirst = query.value("cursor") === ""
  return (
    (!isFirst || nextCursor !== null) &&
    html`<p class="actions">
      ${!isFirst && html`<a href="${path}">${labels.first}</a>`}
      ${nextCursor !== null && html`<a class="button second" href="${path}?cursor=${encodeURIComponent(nextCursor)}">${labels.next}</a>`}
    </p>`
  )
}

type Tab = "" | "/flags" | "/leaks" | "/apps"

/** The head of each page with a list for reviewers: the heading, and the tabs that lead to the other lists. */
export const reviewHead = (current: Tab): Html => {
  const tab = (path: Tab, name: Text) =>
    html`<a href="${REVIEW}${path}" ${path === current && new Html(' aria-current="page"')}>${name}</a>`
  return html`<h1>${words.title}</h1>
    <nav class="tabs" aria-label="${words.title}">
      ${tab("", words.tabs.waiting)}${tab("/flags", words.tabs.flags)}${tab("/leaks", words.tabs.leaks)}${tab("/apps", words.tabs.apps)}
    </nav>`
}

export const developerName = ({ developer }: Pick<DevelopedApp, "developer">): Html =>
  html`${developer.displayName} (${addressIn(developer)})`

const addressIn = (developer: DevelopedApp["developer"]): Text =>
  SignUpRequest.addressOf(developer) ?? texts.admin.account.noEmail

/** A table of apps of all developers. `path` returns the address to which an app's name links. */
export const appTable = (apps: ReadonlyArray<DevelopedApp>, path: (app: Pick<App.App, "id">) => string): Html =>
  apps.length === 0
    ? html`<p class="empty">${words.apps.empty}</p>`
    : Table.stacked(
        [words.apps.app, words.apps.state, words.apps.developer, words.apps.created],
        apps.map(
          ({ app, developer }) =>
            html`<tr>
              <td data-label="${words.apps.app}"><a href="${path(app)}">${app.name}</a></td>
              <td data-label="${words.apps.state}">
                ${statusBadge(app)}
                ${app.allowedScopes !== null && html`<span class="badge warn">${words.apps.narrowed}</span>`}
              </td>
              <td data-label="${words.apps.developer}">
                ${developer.displayName}<br /><span class="soft small">${addressIn(developer)}</span>
              </td>
              <td data-label="${words.apps.created}">${time(app.createdAt)}</td>
            </tr>`
        )
      )

/** The section that describes an app to reviewers and admins. */
export const aboutApp = ({ app, developer }: DevelopedApp): Html =>
  html`<section class="card" aria-labelledby="about">
    <h2 id="about">${words.about.heading}</h2>
    ${paragraphs(app.description)}
    <dl>
      <dt>${words.about.developer}</dt>
      <dd>${developerName({ developer })}</dd>
      <dt>${words.about.logo}</dt>
      <dd>${AppLogo.image(app) || html`<span class="soft">${words.none}</span>`}</dd>
      <dt>${words.about.webPage}</dt>
      <dd>
        ${app.homepageUrl === null ? html`<span class="soft">${words.none}</span>` : html`<a href="${webAddress(app.homepageUrl)}" rel="noopener noreferrer" target="_blank">${app.homepageUrl}</a>`}
      </dd>
      <dt>${words.about.requested}</dt>
      <dd>${scopeList(app.declaredScopes)}</dd>
      ${
        app.allowedScopes !== null &&
        html`<dt>${words.about.allowed}</dt>
          <dd>${scopeList(Scope.intersect(app.declaredScopes, app.allowedScopes))}</dd>`
      }
      <dt>${words.about.redirects}</dt>
      <dd>
        ${
          app.redirectUris.length === 0
            ? html`<span class="soft">${words.about.noRedirects}</span>`
            : html`<ul class="plain">
                ${app.redirectUris.map((uri) => html`<li><code>${uri}</code></li>`)}
              </ul>`
        }
      </dd>
      <dt>${words.about.created}</dt>
      <dd>${time(app.createdAt)}</dd>
      ${
        app.revokedAt !== null &&
        html`<dt>${words.about.revoked}</dt>
          <dd>${time(app.revokedAt)}</dd>`
      }
      ${
        app.suspendedAt !== null &&
        html`<dt>${words.about.onHold}</dt>
          <dd>${words.about.onHoldText(time(app.suspendedAt))}</dd>`
      }
    </dl>
  </section>`

export const scopeList = (scopes: ReadonlyArray<Scope.Scope>): Html =>
  scopes.length === 0
    ? html`<span class="soft">${words.about.noScope}</span>`
    : html`<ul class="plain">
        ${scopes.map(
          (scope) =>
            html`<li>
              <code>${scope}</code
              >${Scope.isSensitive(scope) && html` <span class="badge warn">${words.about.sensitive}</span>`}
            </li>`
        )}
      </ul>`

const KINDS: Readonly<Record<ReviewDecision.ReviewKind, Html>> = {
  approved: html`<span class="badge">${words.history.kinds.approved}</span>`,
  rejected: html`<span class="badge warn">${words.history.kinds.rejected}</span>`,
  narrowed: html`<span class="badge warn">${words.history.kinds.narrowed}</span>`,
  revoked: html`<span class="badge bad">${words.history.kinds.revoked}</span>`
}

type Named = AnyReviewDecision & { readonly byName: string }

/** The decisions about the app and its purposes, with their notes and with the people who decided. */
export const history = (decisions: ReadonlyArray<Named>, more: Html | false): Html =>
  html`<section aria-labelledby="history">
    <h2 id="history">${words.history.heading}</h2>
    ${
      decisions.length === 0
        ? html`<p class="empty">${words.history.empty}</p>`
        : Table.stacked(
            [words.history.when, words.history.decision, words.history.about, words.history.note, words.history.by],
            decisions.map(
              ({ at, byName, kind, note, subject }) =>
                html`<tr>
                  <td data-label="${words.history.when}">${time(at)}</td>
                  <td data-label="${words.history.decision}">${KINDS[kind]}</td>
                  <td data-label="${words.history.about}">${about(subject)}</td>
                  <td data-label="${words.history.note}">
                    ${note === null ? html`<span class="soft">${words.none}</span>` : lines(note)}
                  </td>
                  <td data-label="${words.history.by}">${byName}</td>
                </tr>`
            )
          )
    }
    ${more}
  </section>`

const lines = (text: string): ReadonlyArray<Html> =>
  text.split("\n").map((line, index) => html`${index > 0 && html`<br />`}${line}`)

const THEN = { current: words.history.inForceThen, pending: words.history.askedFor }

const scopesLeft = (scopes: ReadonlyArray<string>): Html =>
  scopes.length === 0 ? words.history.leftNoScope : words.history.left(scopes)

/** The app or the purpose that the decision was about, as it was after the decision. */
const about = (subject: ReviewSubject): Html =>
  subject.kind === "purpose"
    ? html`${words.history.purpose(html`<code>${subject.key}</code>`)}<br /><span class="soft small"
          >${subject.terms.description}</span
        >`
    : html`${words.history.app(subject.name)}${
        subject.allowedScopes !== null &&
        html`<br /><span class="soft small">${scopesLeft(subject.allowedScopes)}</span>`
      }
      ${
        subject.change !== null &&
        html`<details>
          <summary>${words.history.changes}</summary>
          ${changeTable(subject.id, subject.change, THEN)}
        </details>`
      }`
