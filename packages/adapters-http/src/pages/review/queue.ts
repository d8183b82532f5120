import { listVolumeFlags, type ReadableFlag } from "@place-access/domain/purposes"
import { listAllApps, listLeaks, listReviews, type ReadableLeak, type Review } from "@place-access/domain/staff"
import { Words } from "@place-access/domain/shared"
import { Effect } from "effect"
import { pendingChange } from "../developer/appChange.js"
import { paragraphs, statusBadge } from "../developer/shared.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import {
  appTable,
  asReviewer,
  developerName,
  fromCursor,
  pager,
  REVIEW,
  reviewHead,
  reviewPath,
  scopeList
} from "./shared.js"
import { wording } from "./wording.js"

const queue = asReviewer((visitor) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const { nextCursor, reviews } = yield* fromCursor(query, (page) => listReviews(visitor.account, page))
    return respond({
      title: "Review: waiting",
      reader: yield* Visitor.reader(visitor),
      current: REVIEW,
      main: html`${reviewHead("")} ${notice(query.value("done"))}
        <p class="lead">Purposes and apps that wait for a decision, the longest waiting first.</p>
        ${
          reviews.length === 0
            ? html`<p class="empty">Nothing waits for a decision.</p>`
            : html`<ol class="plain">
                ${reviews.map(waiting)}
              </ol>`
        }
        ${pager(REVIEW, query, nextCursor, { first: "Longest waiting", next: "More" })}`
    })
  })
)

const waiting = (review: Review): Html => {
  const { app, purpose, submission } = review
  const isEdit = purpose === null ? app.proposal !== null : purpose.approved !== null
  return html`<li class="card">
    <header>
      <h2>
        ${
          purpose === null
            ? html`<a href="${reviewPath(app)}">${app.name}</a>`
            : html`<a href="${reviewPath(app)}/purposes/${purpose.id}">${app.name}: <code>${purpose.key}</code></a>`
        }
      </h2>
      <span class="badge${isEdit && " warn"}"
        >${purpose === null ? (isEdit ? "Changes to an app in production" : "App, into production") : isEdit ? "Edit of an approved purpose" : "New purpose"}</span
      >
    </header>
    <p class="soft small">
      Waits since ${time(submission.at)}. From ${developerName(review)}.
      ${purpose !== null && html`The app: ${statusBadge(app)}`}
    </p>
    ${
      purpose === null
        ? pendingChange(app) ||
          html`${paragraphs(app.description)}
            <dl>
              <dt>Requested scopes</dt>
              <dd>${scopeList(app.declaredScopes)}</dd>
            </dl>`
        : wording(purpose)
    }
  </li>`
}

const flags = asReviewer((visitor) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const found = yield* fromCursor(query, (page) => listVolumeFlags(visitor.account, page))
    const path = `${REVIEW}/flags`
    return respond({
      title: "Review: volume flags",
      reader: yield* Visitor.reader(visitor),
      current: REVIEW,
      main: html`${reviewHead("/flags")}
        <p class="lead">
          Connections about which an app asked for exact locations more than twice as often in a day as its purpose
          expects, the newest first. No call was refused for it.
        </p>
        ${found.flags.length === 0 ? html`<p class="empty">No app has asked unusually often.</p>` : flagTable(found.flags)}
        ${pager(path, query, found.nextCursor)}`
    })
  })
)

/** The table of flags. A flag names only the connection, because reviewers need not know who the user is. */
const flagTable = (all: ReadonlyArray<ReadableFlag>): Html =>
  Table.stacked(
    ["App", "Purpose", "Asked", "Expected", "When"],
    all.map(
      (flag) =>
        html`<tr>
          <td data-label="App">
            <a href="${reviewPath({ id: flag.appId })}">${flag.appName}</a><br /><span class="soft small"
              >Connection</span
            >
            <code>${flag.connectionId}</code>
          </td>
          <td data-label="Purpose">
            <a href="${reviewPath({ id: flag.appId })}/purposes/${flag.purposeId}"><code>${flag.purposeKey}</code></a
            ><br /><span class="soft small">${flag.purposeDescription}</span>
          </td>
          <td data-label="Asked">${Words.count(flag.calls, "time")}</td>
          <td data-label="Expected">${flag.expectedDailyVolume} a day</td>
          <td data-label="When">${time(flag.from)} to<br />${time(flag.to)}</td>
        </tr>`
    )
  )

const leaks = asReviewer((visitor) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const found = yield* fromCursor(query, (page) => listLeaks(visitor.account, page))
    return respond({
      title: "Review: leaked keys",
      reader: yield* Visitor.reader(visitor),
      current: REVIEW,
      main: html`${reviewHead("/leaks")}
        <p class="lead">
          Connections whose spent refresh token or code somebody used again, the newest first. Each connection ended at
          once, and its user got an e-mail. Several connections of one app mean that the app leaks its tokens.
        </p>
        ${found.leaks.length === 0 ? html`<p class="empty">No spent token or code was used again.</p>` : leakTable(found.leaks)}
        ${pager(`${REVIEW}/leaks`, query, found.nextCursor)}`
    })
  })
)

const leakTable = (all: ReadonlyArray<ReadableLeak>): Html =>
  Table.stacked(
    ["App", "Connection", "Reused key", "When"],
    all.map(
      (leak) =>
        html`<tr>
          <td data-label="App"><a href="${reviewPath({ id: leak.appId })}">${leak.appName}</a></td>
          <td data-label="Connection"><code>${leak.connectionId}</code></td>
          <td data-label="Reused key">${leakedKey(leak)}</td>
          <td data-label="When">${time(leak.flaggedAt)}</td>
        </tr>`
    )
  )

const leakedKey = ({ endReason }: ReadableLeak): string => {
  if (endReason === "refresh_token_reused") return "A refresh token"
  if (endReason === "code_reused") return "A code"
  return "A token or code of a connection that had ended before"
}

const apps = asReviewer((visitor) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const found = yield* fromCursor(query, (page) => listAllApps(visitor.account, page))
    return respond({
      title: "Review: all apps",
      reader: yield* Visitor.reader(visitor),
      current: REVIEW,
      main: html`${reviewHead("/apps")}
        <p class="lead">Everybody’s apps, the newest first, with the decisions about them.</p>
        ${appTable(found.apps, reviewPath)} ${pager(`${REVIEW}/apps`, query, found.nextCursor)}`
    })
  })
)

export const routes = [
  Routes.get(REVIEW, queue),
  Routes.get(`${REVIEW}/flags`, flags),
  Routes.get(`${REVIEW}/leaks`, leaks),
  Routes.get(`${REVIEW}/apps`, apps)
]
