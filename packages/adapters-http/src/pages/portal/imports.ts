import { Import, listImports, Months, removeImport, undoImport } from "@place-access/domain/imports"
import { AccountLimits } from "@place-access/domain/quotas"
import { ImportId, Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Removal from "../kit/Removal.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { count, ofDomain, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import * as ImportUpload from "./importUpload.js"
import * as ImportColumns from "./importColumns.js"
import { notice } from "./notices.js"
import * as Reloading from "./reloading.js"

const words = texts.portal.imports

const PAGE = 50

const isOpen = ({ state }: Import.Import): boolean => state === "waiting" || state === "running" || state === "undoing"

const list = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const query = yield* Form.query
      const cursor = query.value("cursor")
      const first = { limit: PAGE, cursor: undefined }
      const { imports, nextCursor } = yield* listImports(visitor.account.id, {
        ...first,
        cursor: cursor === "" ? undefined : cursor
      }).pipe(
        // When somebody has changed the cursor in the address, the page shows the beginning of the list.
        Effect.catchTag("Invalid", () => listImports(visitor.account.id, first))
      )
      const token = yield* Visitor.tokenFor(visitor)
      const onPage = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`
      const watching = imports.some(isOpen)
        ? Reloading.reloading(`${portal}/imports${onPage}`, query, words.reloads(Reloading.EVERY_S))
        : Reloading.NONE
      const now = yield* Timestamp.now
      return yield* respond({
        title: words.title,
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/devices`,
        headers: watching.headers,
        main: html`<h1>${words.title}</h1>
          <p class="lead">${words.lead}</p>
          ${notice(query.value("done"))}
          <p><a class="button" href="${portal}/imports/new">${words.add}</a></p>
          ${watching.line}
          ${
            imports.length === 0
              ? html`<p class="empty">${words.none}</p>`
              : html`<ul class="plain">
                  ${imports.map((one) => card(portal, one, token, now))}
                </ul>`
          }
          ${
            (cursor !== "" || nextCursor !== null) &&
            html`<p class="actions">
              ${cursor !== "" && html`<a href="${portal}/imports">${words.newest}</a>`}
              ${
                nextCursor !== null &&
                html`<a class="button second" href="${portal}/imports?cursor=${nextCursor}">${words.older}</a>`
              }
            </p>`
          }`
      })
    })
  )

const card = (portal: string, one: Import.Import, token: string, now: Timestamp.Timestamp): Html =>
  html`<li class="card">
    <header>
      <h2>${ImportUpload.nameOf(one.fileName)}</h2>
      ${badge(one)}
    </header>
    ${one.state === "running" && progress(one, now)}
    ${one.state === "asking" && html`<p><a class="button" href="${portal}/imports/${one.id}/columns">${words.columns.open}</a></p>`}
    ${one.state === "undoing" && html`<p class="soft">${words.undo.going}</p>`}
    ${one.error !== null && html`<p class="fault">${ofDomain(one.error)}</p>`}
    ${one.state === "done" && isUseless(one.counts) && html`<p class="fault">${words.nothingUsable}</p>`}
    <dl>
      <dt>${words.uploaded}</dt>
      <dd>${time(one.uploadedAt)}</dd>
      ${
        one.format !== null &&
        html`<dt>${words.kind}</dt>
          <dd>${words.formats[one.format]}</dd>`
      }
      ${(one.counts.read > 0 || one.state === "done") && counts(one.counts)}
    </dl>
    ${one.leftOut.length > 0 && leftOut(portal, one)} ${one.months.length > 0 && months(one.months)}
    ${one.state !== "undoing" && actions(portal, one, token)}
  </li>`

/** Whether the file has entries and the service could use none of them. */
const isUseless = ({ quarantined, read }: Import.ImportCounts): boolean => read > 0 && quarantined === read

/**
 * Whether the history may have entries that an undo of the import deletes. An import without new entries may still have
 * such entries: when another import with the same entries is undone, its entries then belong to this import.
 */
const isUndoable = ({ counts }: Import.Import): boolean => counts.stored > 0 || counts.duplicates > 0

const actions = (portal: string, one: Import.Import, token: string): Html => {
  const name = ImportUpload.nameOf(one.fileName)
  return html`<form method="post" action="${portal}/imports/${one.id}/remove" class="actions">
      ${Fields.hidden("form_token", token)}
      <button class="danger">${isOpen(one) ? words.stop(name) : words.remove(name)}</button>
      <span class="soft small">${words.kept}</span>
    </form>
    ${
      isUndoable(one) &&
      html`<details>
        <summary>${words.undo.summary}</summary>
        <p>${words.undo.text}</p>
        <form method="post" action="${portal}/imports/${one.id}/undo" class="actions">
          ${Fields.hidden("form_token", token)}
          <button class="danger">${words.undo.button(name)}</button>
        </form>
      </details>`
    }`
}

/**
 * The entries of the file by month. The column “known” counts the entries that no other column counts: entries that the
 * history already had, and entries from a time whose history the user has deleted.
 */
const months = (all: ReadonlyArray<Months.MonthCounts>): Html => {
  // Only when a file has entries of very many months are there months without a row of their own.
  const none = all.length < Months.MAX_MONTHS ? words.months.none : words.months.noneOrFurther
  return html`<details>
    <summary>${words.months.summary}</summary>
    ${Table.stacked(
      [words.months.month, words.months.read, words.months.stored, words.months.known, words.months.leftOut],
      all.map(
        (one) =>
          html`<tr>
            <td data-label="${words.months.month}">${one.month ?? none}</td>
            <td data-label="${words.months.read}">${count(one.read)}</td>
            <td data-label="${words.months.stored}">${isNotCounted(one) ? "–" : count(one.stored)}</td>
            <td data-label="${words.months.known}">${isNotCounted(one) ? "–" : count(knownOf(one))}</td>
            <td data-label="${words.months.leftOut}">${leftOutOf(one)}</td>
          </tr>`
      )
    )}
  </details>`
}

/**
 * Whether the row has the month null, and counts entries that the store got. These entries are of months that have no
 * row of their own (`Months.MAX_MONTHS`). The counts do not say which of these entries are new and which were known.
 */
const isNotCounted = (one: Months.MonthCounts): boolean => one.month === null && knownOf(one) > 0

const knownOf = ({ quarantined, read, stored, tooOld, tooRecent }: Months.MonthCounts): number =>
  Math.max(0, read - stored - tooRecent - tooOld - quarantined)

/** The numbers of entries that were left out, each with its reason: `3 too old, 1 not usable`. */
const leftOutOf = ({ quarantined, tooOld, tooRecent }: Months.MonthCounts): Html | string => {
  const reasons = [
    words.months.tooRecent(tooRecent),
    words.months.tooOld(tooOld),
    words.months.quarantined(quarantined)
  ].filter((_, index) => [tooRecent, tooOld, quarantined][index] !== 0)
  return reasons.length === 0 ? "–" : html`${reasons.map((reason, index) => html`${index > 0 && ", "}${reason}`)}`
}

/**
 * The places of the file that were left out, because the account already has the greatest allowed number of places. The
 * text also says how the person can add the places.
 */
const leftOut = (portal: string, { counts, leftOut: names }: Import.Import): Html => {
  const more = counts.overLimit - names.length
  return html`<div class="note warn">
    <p>${words.leftOut(names, more, AccountLimits.PLACES.most, AccountLimits.ARCHIVED_PLACES.most)}</p>
    <p>${words.makeRoom(`${portal}/places`)}</p>
  </div>`
}

const badge = ({ state }: Import.Import): Html => {
  switch (state) {
    case "asking":
      return html`<span class="badge warn">${words.states.asking}</span>`
    case "undoing":
      return html`<span class="badge quiet">${words.states.undoing}</span>`
    case "waiting":
      return html`<span class="badge quiet">${words.states.waiting}</span>`
    case "running":
      return html`<span class="badge warn">${words.states.running}</span>`
    case "done":
      return html`<span class="badge">${words.states.done}</span>`
    case "failed":
      return html`<span class="badge bad">${words.states.failed}</span>`
  }
}

const progress = (one: Import.Import, now: Timestamp.Timestamp): Html => {
  const { bytesDone, bytesTotal, id } = one
  const speed = Import.speed(one, now)
  const percent = bytesTotal === 0 ? 0 : Math.floor((100 * bytesDone) / bytesTotal)
  return html`<div class="field">
    <label for="progress-${id}">${words.progress(percent)}</label>
    <progress class="wide" id="progress-${id}" value="${percent}" max="100">${words.progress(percent)}</progress>
    ${speed !== null && html`<p class="soft small">${words.speed(speed.entriesPerS, speed.leftS)}</p>`}
  </div>`
}

/**
 * The counts of an import, in plain words. Counts of zero are left out, except for the count of the entries that were
 * read and the count of the entries that were stored.
 */
const counts = ({
  duplicates,
  overLimit,
  quarantined,
  read,
  stored,
  tooOld,
  tooRecent
}: Import.ImportCounts): ReadonlyArray<Html> => {
  const rows: ReadonlyArray<readonly [Html, number, Html | null]> = [
    [words.counts.read, read, null],
    [words.counts.stored, stored, null],
    [words.counts.duplicates, duplicates, null],
    [words.counts.tooRecent, tooRecent, words.why.tooRecent],
    [words.counts.tooOld, tooOld, words.why.tooOld],
    [words.counts.overLimit, overLimit, words.why.overLimit],
    [words.counts.quarantined, quarantined, words.why.quarantined]
  ]
  return rows
    .filter(([, number], index) => index < 2 || number > 0)
    .map(
      ([what, number, why]) =>
        html`<dt>${what}</dt>
          <dd>${words.entries(number)}${why !== null && html`<span class="soft small"> – ${why}</span>`}</dd>`
    )
}

const remove = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const id = yield* param("import", ImportId, "import")
      yield* Removal.once("import", removeImport({ userId: visitor.account.id, id }))
      return seeOther(`${portal}/imports?done=import-removed`)
    })
  )

const undo = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const id = yield* param("import", ImportId, "import")
      yield* Removal.once("import", undoImport({ userId: visitor.account.id, id }))
      return seeOther(`${portal}/imports?done=import-undone`)
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(`${portal}/imports`, list(portal)),
    Routes.get(
      `${portal}/imports/new`,
      Visitor.signedIn((visitor) => ImportUpload.page(portal, visitor))
    ),
    Routes.post(`${portal}/imports`, ImportUpload.receive(portal)),
    Routes.post(`${portal}/imports/:import/remove`, remove(portal)),
    Routes.post(`${portal}/imports/:import/undo`, undo(portal)),
    Routes.get(`${portal}/imports/:import/columns`, ImportColumns.show(portal)),
    Routes.post(`${portal}/imports/:import/columns`, ImportColumns.choose(portal))
  ]
}
