import { Delivery, listDeliveries, Replay } from "@place-access/domain/deliveries"
import { listEndpoints } from "@place-access/domain/endpoints"
import type { AppId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { shownEvent } from "../../deliveries/DeliveriesApi.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import * as DeliveriesQuery from "./deliveriesQuery.js"
import { answer, marker, outcome } from "./deliveryWords.js"
import { appHead, appPath, DEVELOPER, ownApp } from "../developer/shared.js"

const PAGE = 50

const words = texts.webhooks.deliveries

const LABELS = {
  endpoint: words.endpoint,
  state: words.outcome,
  type: words.event,
  reason: words.reason,
  status: words.status,
  event: words.eventId,
  from: words.from,
  to: words.to
}
const NONE = { deliveries: [], nextCursor: null }

const list = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const app = yield* ownApp(visitor, "read")
    const form = yield* Form.query
    const query = DeliveriesQuery.read(form, yield* Visitor.locale(visitor))
    const found = yield* find(visitor.account, app.id, query, form.value("cursor"))
    const problems = found.isMistaken
      ? [...query.problems, { field: "endpoint", message: words.notOfList }]
      : query.problems
    const fields = Form.shown(form, problems)
    const path = `${appPath(app)}/deliveries`
    return yield* respond({
      title: words.titleOf(app.name),
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      status: problems.length === 0 ? 200 : 400,
      main: html`${appHead(app, "/deliveries")} ${recovered(form)} ${Fields.problems(fields, LABELS)}
      ${filter(fields, path, found)}
      ${
        // When the filters have a problem, an empty list does not mean that the log has no deliveries: a filter may
        // name an unknown endpoint. So the page does not say that there are no deliveries.
        found.page.deliveries.length === 0
          ? problems.length === 0 &&
            html`<p class="empty">
              ${Object.values(query.shown).some((value) => value !== "") ? words.nothingHere : words.nothingYet}
            </p>`
          : Table.stacked(
              [words.created, words.event, words.endpoint, words.outcome, words.response],
              found.page.deliveries.map((one) => row(one, found.urls, path))
            )
      }
      ${pager(path, query, form.value("cursor"), found.page.nextCursor)}`
    })
  })
)

type Page = Effect.Effect.Success<ReturnType<typeof listDeliveries>>

interface Found {
  readonly page: Page
  /** The addresses of the app's endpoints, by their ids. */
  readonly urls: ReadonlyMap<string, string>
  /** The id of the endpoint by which the list is filtered, if the endpoint was removed; otherwise undefined. */
  readonly removed: string | undefined
  /** Whether the filter names an id that is no endpoint of the app, and of which the log has no deliveries. */
  readonly isMistaken: boolean
}

const find = (
  account: Visitor.Visitor["account"],
  appId: AppId,
  query: DeliveriesQuery.DeliveriesQuery,
  cursor: string
) =>
  Effect.gen(function* () {
    const from = (cursor: string | undefined) =>
      listDeliveries(account, appId, { ...query.filter, limit: PAGE, cursor })
    const page: Page = query.isNone
      ? NONE
      : yield* from(cursor === "" ? undefined : cursor).pipe(
          // When the service refuses the cursor, for example because somebody has changed the address, the page shows
          // the beginning of the list.
          Effect.catchTag("Invalid", () => from(undefined))
        )
    const urls = new Map((yield* listEndpoints(account, appId)).map(({ id, url }) => [id as string, url as string]))
    const filtered = query.filter.endpointId
    const isUnknown = filtered !== undefined && !urls.has(filtered)
    // The deliveries of a removed endpoint stay in the log for a while. So an unknown id without deliveries is probably
    // a mistake, or the id of another app's endpoint.
    const isMistaken =
      isUnknown &&
      page.deliveries.length === 0 &&
      (yield* listDeliveries(account, appId, { endpointId: filtered, limit: 1, cursor: undefined })).deliveries
        .length === 0
    const found: Found = { page, urls, removed: isUnknown && !isMistaken ? filtered : undefined, isMistaken }
    return found
  })

const filter = (fields: Fields.Shown, path: string, { removed, urls }: Found): Html =>
  html`<form class="card filter long" method="get" action="${path}">
    <div class="pair">
      ${Fields.select(fields, { name: "endpoint", label: LABELS.endpoint }, [
        { value: "", text: words.allEndpoints },
        ...Array.from(urls, ([value, text]) => ({ value, text })),
        // The list of choices needs an entry for the removed endpoint. Without the entry, sending the form again would
        // drop the filter.
        ...(removed === undefined ? [] : [{ value: removed, text: words.removedEndpoint(removed) }])
      ])}
      ${Fields.select(fields, { name: "state", label: LABELS.state }, [
        { value: "", text: words.allOutcomes },
        ...DeliveriesQuery.State.literals.map((value) => ({ value, text: texts.webhooks.states[value] }))
      ])}
      ${Fields.select(fields, { name: "type", label: LABELS.type }, [
        { value: "", text: words.allEvents },
        ...DeliveriesQuery.Type.literals.map((value) => ({ value, text: value }))
      ])}
      ${Fields.select(fields, { name: "reason", label: LABELS.reason }, [
        { value: "", text: words.allReasons },
        ...Delivery.FailReason.literals.map((value) => ({ value, text: texts.webhooks.reasons[value] }))
      ])}
      ${Fields.input(fields, { name: "status", label: LABELS.status, required: false, maxlength: 4 })}
      ${Fields.input(fields, { name: "from", label: LABELS.from, type: "date", required: false })}
      ${Fields.input(fields, { name: "to", label: LABELS.to, type: "date", required: false })}
      ${Fields.input(fields, { name: "event", label: LABELS.event, required: false })}
      <div class="field"><button class="second">${words.show}</button></div>
    </div>
  </form>`

const row = (
  { delivery, isReplayed, lastAttempt }: Page["deliveries"][number],
  urls: Found["urls"],
  path: string
): Html =>
  html`<tr>
    <td class="nowrap" data-label="${words.created}">${time(delivery.createdAt, "row")}</td>
    <td data-label="${words.event}">
      <a href="${path}/${delivery.id}"><code>${shownEvent({ delivery, lastAttempt }).type}</code></a
      >${marker(delivery, isReplayed)}
    </td>
    <td data-label="${words.endpoint}">
      ${
        urls.has(delivery.endpointId)
          ? html`<code>${urls.get(delivery.endpointId)}</code>`
          : html`<a href="${path}?endpoint=${delivery.endpointId}"><code>${delivery.endpointId}</code></a>`
      }
    </td>
    <td data-label="${words.outcome}">${outcome(delivery)}</td>
    <td data-label="${words.response}">
      ${answer(lastAttempt)}
      ${
        lastAttempt !== null &&
        html`<span class="soft small">${words.sentAt(time(lastAttempt.startedAt, "row"))}</span>`
      }
    </td>
  </tr>`

/** The links to the newest deliveries and to the next page of older deliveries. */
const pager = (
  path: string,
  query: DeliveriesQuery.DeliveriesQuery,
  cursor: string,
  nextCursor: string | null
): Html | false => {
  const at = (cursor: string) => `${path}?${new URLSearchParams({ ...query.shown, cursor }).toString()}`
  return (
    (cursor !== "" || nextCursor !== null) &&
    html`<p class="actions">
      ${cursor !== "" && html`<a href="${at("")}">${words.newest}</a>`}
      ${nextCursor !== null && html`<a class="button second" href="${at(nextCursor)}">${words.older}</a>`}
    </p>`
  )
}

/** The note after a recovery, with the number of deliveries that the recovery queued. */
const recovered = (query: Form.Form): Html | false => {
  const count = query.value("recovered")
  return (
    /^\d{1,5}$/.test(count) &&
    html`<div class="note" role="status">
      <p>${words.recovered(Number(count))} ${Number(count) >= Replay.RECOVERED_MAX && words.mayBeMore}</p>
    </div>`
  )
}

export const routes = [Routes.get(`${DEVELOPER}/apps/:app/deliveries`, list)]
