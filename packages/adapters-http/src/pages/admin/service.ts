import { QUEUES, readService, SERVICE_COUNTED_MAX, type ServiceOverview } from "@place-access/domain/staff"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { ago, count } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { ADMIN, asAdmin, REVIEW } from "../review/shared.js"
import { adminHead, SERVICE } from "./shared.js"

const words = texts.admin.service

/** The page on which admins see the state of the service (decision staff-6). */
const show = asAdmin((visitor) =>
  Effect.gen(function* () {
    const found = yield* readService(visitor.account)
    const now = yield* Timestamp.now
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      current: ADMIN,
      main: html`${adminHead(SERVICE, texts.admin.tabs.service)}
        ${
          found.workers === 0 &&
          html`<div class="note bad" role="status">
            <p><strong>${words.noWorker}</strong> ${words.noWorkerText}</p>
          </div>`
        }
        <section class="card" aria-labelledby="numbers">
          <h2 id="numbers">${words.numbers}</h2>
          <dl>
            <dt>${words.accounts}</dt>
            <dd>${words.accountsOf(upTo(found.accounts), found.newAccounts, found.days)}</dd>
            <dt>${words.suspended}</dt>
            <dd>${upTo(found.suspendedAccounts)}</dd>
            <dt>${words.apps}</dt>
            <dd>${words.appsOf(found.apps.production, found.apps.in_review, found.apps.sandbox)}</dd>
            <dt>${words.workers}</dt>
            <dd>${count(found.workers)}</dd>
            <dt>${words.flags(found.days)}</dt>
            <dd><a href="${REVIEW}/flags">${count(found.volumeFlags)}</a></dd>
            <dt>${words.leaks(found.days)}</dt>
            <dd><a href="${REVIEW}/leaks">${count(found.leaks)}</a></dd>
          </dl>
        </section>
        <h2>${words.queues}</h2>
        ${queues(found, now)}
        <p class="soft small">${words.hint}</p>`
    })
  })
)

const upTo = (value: number): Html => (value >= SERVICE_COUNTED_MAX ? words.orMore(value) : count(value))

const queues = ({ backlog }: ServiceOverview, now: Timestamp.Timestamp): Html =>
  Table.stacked(
    [words.queue, words.due, words.oldest],
    QUEUES.map((queue) => {
      const { oldestDueAt, rows } = backlog.find((one) => one.queue === queue) ?? { rows: 0, oldestDueAt: null }
      return html`<tr>
        <td data-label="${words.queue}">${words.names[queue]}</td>
        <td data-label="${words.due}">${upTo(rows)}</td>
        <td data-label="${words.oldest}">${oldestDueAt === null ? "—" : ago(oldestDueAt, now)}</td>
      </tr>`
    })
  )

export const routes = [Routes.get(SERVICE, show)]
