import { listVolumeFlags, type ReadableFlag } from "@place-access/domain/purposes"
import { listAllApps, listLeaks, listReviews, type ReadableLeak, type ReviewEntry } from "@place-access/domain/staff"
import { Effect } from "effect"
import { pendingChange } from "../developer/appChange.js"
import { paragraphs, statusBadge } from "../developer/shared.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
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

const words = texts.review

const queue = asReviewer((visitor) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const { nextCursor, reviews } = yield* fromCursor(query, (page) => listReviews(visitor.account, page))
    return yield* respond({
      title: words.queue.title,
      reader: yield* Visitor.reader(visitor),
      current: REVIEW,
      main: html`${reviewHead("")} ${notice(query.value("done"))}
        <p class="lead">${words.queue.lead}</p>
        ${
          reviews.length === 0
            ? html`<p class="empty">${words.queue.empty}</p>`
            : html`<ol class="plain">
                ${reviews.map(waiting)}
              </ol>`
        }
        ${pager(REVIEW, query, nextCursor, { first: words.longestWaiting, next: words.more })}`
    })
  })
)

/** The subject of an entry of the queue, in words: an app or a purpose, new or changed. */
const kindOf = (isPurpose: boolean, isEdit: boolean): Html => {
  if (isPurpose) return isEdit ? words.queue.editedPurpose : words.queue.newPurpose
  return isEdit ? words.queue.changedApp : words.queue.newApp
}

const waiting = (review: ReviewEntry): Html => {
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
      <span class="badge${isEdit && " warn"}">${kindOf(purpose !== null, isEdit)}</span>
    </header>
    <p class="soft small">
      ${words.queue.since(time(submission.at), developerName(review))}
      ${purpose !== null && words.queue.app(statusBadge(app))}
    </p>
    ${
      purpose === null
        ? pendingChange(app) ||
          html`${paragraphs(app.description)}
            <dl>
              <dt>${words.about.requested}</dt>
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
    return yield* respond({
      title: words.flags.title,
      reader: yield* Visitor.reader(visitor),
      current: REVIEW,
      main: html`${reviewHead("/flags")}
        <p class="lead">${words.flags.lead}</p>
        ${found.flags.length === 0 ? html`<p class="empty">${words.flags.empty}</p>` : flagTable(found.flags)}
        ${pager(path, query, found.nextCursor)}`
    })
  })
)

/** The table of volume flags. A flag names the connection, not the user: reviewers need not know who the user is. */
const flagTable = (all: ReadonlyArray<ReadableFlag>): Html =>
  Table.stacked(
    [words.flags.app, words.flags.purpose, words.flags.asked, words.flags.expected, words.flags.when],
    all.map(
      (flag) =>
        html`<tr>
          <td data-label="${words.flags.app}">
            <a href="${reviewPath({ id: flag.appId })}">${flag.appName}</a><br /><span class="soft small"
              >${words.flags.connection}</span
            >
            <code>${flag.connectionId}</code>
          </td>
          <td data-label="${words.flags.purpose}">
            ${
              // A purpose without a description was deleted together with its app, so there is no page for a link.
              flag.purposeDescription === null
                ? html`<code>${flag.purposeKey}</code>`
                : html`<a href="${reviewPath({ id: flag.appId })}/purposes/${flag.purposeId}"
                      ><code>${flag.purposeKey}</code></a
                    ><br /><span class="soft small">${flag.purposeDescription}</span>`
            }
          </td>
          <td data-label="${words.flags.asked}">${words.flags.times(flag.calls)}</td>
          <td data-label="${words.flags.expected}">${words.flags.aDay(flag.expectedDailyVolume)}</td>
          <td data-label="${words.flags.when}">${words.flags.fromTo(time(flag.from), time(flag.to))}</td>
        </tr>`
    )
  )

const leaks = asReviewer((visitor) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const found = yield* fromCursor(query, (page) => listLeaks(visitor.account, page))
    return yield* respond({
      title: words.leaks.title,
      reader: yield* Visitor.reader(visitor),
      current: REVIEW,
      main: html`${reviewHead("/leaks")}
        <p class="lead">${words.leaks.lead}</p>
        ${found.leaks.length === 0 ? html`<p class="empty">${words.leaks.empty}</p>` : leakTable(found.leaks)}
        ${pager(`${REVIEW}/leaks`, query, found.nextCursor)}`
    })
  })
)

const leakTable = (all: ReadonlyArray<ReadableLeak>): Html =>
  Table.stacked(
    [words.leaks.app, words.leaks.connection, words.leaks.key, words.leaks.when],
    all.map(
      (leak) =>
        html`<tr>
          <td data-label="${words.flags.app}"><a href="${reviewPath({ id: leak.appId })}">${leak.appName}</a></td>
          <td data-label="${words.leaks.connection}"><code>${leak.connectionId}</code></td>
          <td data-label="${words.leaks.key}">${leakedKey(leak)}</td>
          <td data-label="${words.flags.when}">${time(leak.flaggedAt)}</td>
        </tr>`
    )
  )

const leakedKey = ({ endReason }: ReadableLeak): Html => {
  if (endReason === "refresh_token_reused") return words.leaks.refreshToken
  if (endReason === "code_reused") return words.leaks.code
  return words.leaks.ended
}

const apps = asReviewer((visitor) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const found = yield* fromCursor(query, (page) => listAllApps(visitor.account, page))
    return yield* respond({
      title: words.apps.title,
      reader: yield* Visitor.reader(visitor),
      current: REVIEW,
      main: html`${reviewHead("/apps")}
        <p class="lead">${words.apps.lead}</p>
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
