import { HttpServerRequest } from "@effect/platform"
import { checkFormToken } from "@place-access/domain/accounts"
import { getHistoryChoice, type History } from "@place-access/domain/retention-choice"
import { Import, listImports, removeImport, startImport } from "@place-access/domain/imports"
import { AccountLimits } from "@place-access/domain/quotas"
import { type Conflict, ImportId, type Invalid, type StoreError, Words } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as Upload from "../../edge/Upload.js"
import { HttpOptions, type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Credentials from "../../security/Credentials.js"
import * as Errors from "../../wire/Errors.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "./notices.js"

const LABELS = { file: "File" }
const MOST = "256 MiB"
/** How often the page reloads itself while an import is under way. It runs no script. */
const REFRESH_S = 5

const FORMATS: Readonly<Record<Import.ImportFormat, string>> = {
  gpx: "GPX",
  google_android: "Google Timeline of an Android phone",
  google_ios: "Google Timeline of an iPhone",
  google_takeout: "Google Takeout",
  own_archive: "Archive of this service"
}

const isOpen = ({ state }: Import.Import): boolean => state === "waiting" || state === "running"

const list = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const imports = yield* listImports(visitor.account.id)
      const query = yield* Form.query
      const token = yield* Visitor.tokenFor(visitor)
      const isWatched = imports.some(isOpen)
      return respond({
        title: "Imports",
        reader: yield* Visitor.reader(visitor),
        current: `${portal}/devices`,
        ...(isWatched && { headers: { refresh: `${REFRESH_S};url=${portal}/imports` } }),
        main: html`<h1>Imports</h1>
          <p class="lead">
            Files of where you were before your phone was connected. They go into your history only: no app gets a
            notification because of them.
          </p>
          ${notice(query.value("done"))}
          <p><a class="button" href="${portal}/imports/new">Import a file</a></p>
          ${isWatched && html`<p class="soft small">While a file is being read, this page reloads itself every ${REFRESH_S} seconds.</p>`}
          ${
            imports.length === 0
              ? html`<p class="empty">You have not imported anything yet.</p>`
              : html`<ul class="plain">
                  ${imports.map((one) => card(portal, one, token))}
                </ul>`
          }`
      })
    })
  )

const card = (portal: string, one: Import.Import, token: string): Html =>
  html`<li class="card">
    <header>
      <h2>${one.fileName}</h2>
      ${badge(one)}
    </header>
    ${one.state === "running" && progress(one)} ${one.error !== null && html`<p class="fault">${one.error}</p>`}
    <dl>
      <dt>Uploaded</dt>
      <dd>${time(one.uploadedAt)}</dd>
      ${
        one.format !== null &&
        html`<dt>Kind</dt>
          <dd>${FORMATS[one.format]}</dd>`
      }
      ${one.counts.read > 0 && counts(one.counts)}
    </dl>
    ${one.leftOut.length > 0 && leftOut(portal, one)}
    <form method="post" action="${portal}/imports/${one.id}/remove" class="actions">
      ${Fields.hidden("form_token", token)}
      <button class="danger">${isOpen(one) ? "Stop" : "Remove"} ${one.fileName}</button>
      <span class="soft small">Your history keeps what is stored.</span>
    </form>
  </li>`

/** Which places had no room, and what helps. */
const leftOut = (portal: string, { counts, leftOut: names }: Import.Import): Html => {
  const more = counts.overLimit - names.length
  return html`<div class="note warn">
    <p>
      Not added: ${names.map((name) => `“${name}”`).join(", ")}${more > 0 && ` and ${more} more`}. An account has at
      most ${AccountLimits.PLACES.most} places, and an import adds archived ones up to
      ${AccountLimits.ARCHIVED_PLACES.most}.
    </p>
    <p>
      To add them, archive <a href="${portal}/places">places that you no longer need</a>, then import the file again.
    </p>
  </div>`
}

const badge = ({ state }: Import.Import): Html => {
  switch (state) {
    case "waiting":
      return html`<span class="badge quiet">Waiting</span>`
    case "running":
      return html`<span class="badge warn">Being read</span>`
    case "done":
      return html`<span class="badge">Done</span>`
    case "failed":
      return html`<span class="badge bad">Failed</span>`
  }
}

const progress = ({ bytesDone, bytesTotal, id }: Import.Import): Html => {
  const percent = bytesTotal === 0 ? 0 : Math.floor((100 * bytesDone) / bytesTotal)
  return html`<div class="field">
    <label for="progress-${id}">${percent} % read</label>
    <progress class="wide" id="progress-${id}" value="${percent}" max="100">${percent} %</progress>
  </div>`
}

/** The counts of an import, in plain words. Counts of zero are left out. */
const counts = ({
  duplicates,
  overLimit,
  quarantined,
  read,
  stored,
  tooOld,
  tooRecent
}: Import.ImportCounts): ReadonlyArray<Html> => {
  const rows: ReadonlyArray<readonly [string, number, string]> = [
    ["Read", read, ""],
    ["New in your history", stored, ""],
    ["Known already", duplicates, ""],
    ["Too recent", tooRecent, " – the last day before the upload is left to your phone"],
    ["Too old", tooOld, " – older than the history that you keep"],
    ["Left out", overLimit, " – places beyond the most that an account may have"],
    ["Not usable", quarantined, " – without a time or a place, or with an impossible one"]
  ]
  return rows
    .filter(([, number], index) => index < 2 || number > 0)
    .map(
      ([what, number, why]) =>
        html`<dt>${what}</dt>
          <dd>
            ${Words.count(number, "entry", "entries")}${why !== "" && html`<span class="soft small">${why}</span>`}
          </dd>`
    )
}

const upload = (portal: string, visitor: Visitor.Visitor, problems: ReadonlyArray<FieldProblem> = [], status = 400) =>
  Effect.gen(function* () {
    const token = yield* Visitor.tokenFor(visitor)
    const { keep } = yield* getHistoryChoice(visitor.account.id)
    const form: Fields.Shown = { values: () => "", problems }
    return respond({
      title: "Import a file",
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/devices`,
      width: "middle",
      status: problems.length === 0 ? 200 : status,
      main: html`<h1>Import a file</h1>
        ${Fields.problems(form, LABELS)} ${kept(portal, keep)}
        <form class="card" method="post" action="${portal}/imports" enctype="multipart/form-data">
          ${Fields.hidden("form_token", token)}
          <div class="field">
            <label for="file">${LABELS.file}</label>
            <p class="hint" id="file-hint">
              A GPX file, the Timeline of an Android phone or an iPhone, Records.json of a Google Takeout, or an archive
              that you downloaded from this service. At most ${MOST}.
            </p>
            ${Fields.groupFault(form, "file", LABELS.file)}
            <input
              id="file"
              name="file"
              type="file"
              required
              accept=".gpx,.json,.xml,.zip,application/gpx+xml,application/json,application/zip"
              aria-describedby="file-hint"
            />
          </div>
          <button>Upload</button>
        </form>
        <section class="card" aria-labelledby="where">
          <h2 id="where">Where such files come from</h2>
          <dl>
            <dt>Android</dt>
            <dd>Settings → Location → Location services → Timeline → Export Timeline data</dd>
            <dt>iPhone</dt>
            <dd>Google Maps → your picture → Settings → Personal content → Export Timeline data</dd>
            <dt>Google Takeout</dt>
            <dd>Unpack the archive; the file is Location History/Records.json</dd>
            <dt>Another account of this service</dt>
            <dd>Settings → Take your data along. Places and locations come back; what apps can do does not.</dd>
            <dt>GPX</dt>
            <dd>Every program that records tracks can export them. Routes and waypoints are left out.</dd>
          </dl>
        </section>
        <p><a href="${portal}/imports">All imports</a></p>`
    })
  })

/**
 * A note before the upload about what the chosen history would leave out, because adding it later takes another upload.
 */
const kept = (portal: string, keep: History.Keep): Html | false =>
  keep !== null &&
  html`<div class="note">
    <p>
      Your history is kept for ${keep} days, so whatever in the file is older is left out. To have it too,
      <a href="${portal}/settings">choose how long your history is kept</a> first.
    </p>
  </div>`

const receive = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!/^multipart\/form-data\b/i.test(request.headers["content-type"] ?? "")) {
        yield* Visitor.checked(visitor.cookie)
        return yield* upload(portal, visitor, [{ field: "file", message: "choose one" }])
      }
      yield* Credentials.checkOrigin(request, yield* HttpOptions)
      const stored = Upload.form(request, Import.MAX_BYTES, ({ bytes, fileName, value }) =>
        Effect.gen(function* () {
          // The token is checked before the file is read: the field of the token comes before the file in the form.
          if (!(yield* checkFormToken(visitor.cookie, value("form_token"), "")))
            return yield* Effect.fail(Visitor.stale)
          yield* Effect.catchTag(startImport(visitor.account.id, fileName, bytes), "ImportTooLarge", () =>
            Effect.fail(Errors.payloadTooLarge(Import.MAX_BYTES))
          )
          return seeOther(`${portal}/imports?done=import-started`)
        })
      )
      return yield* Effect.catchAll(stored, (error) =>
        Effect.gen(function* () {
          const refusal = refusalOf(error)
          if (refusal === undefined) return yield* Effect.fail(error)
          return yield* upload(portal, visitor, refusal.problems, refusal.status)
        })
      )
    })
  )

type Refusal = Conflict | Invalid | StoreError | Errors.WireError

/** How the page shows a file that was refused. Undefined: the error page shows it. */
const refusalOf = (
  error: Refusal
): { readonly status: number; readonly problems: ReadonlyArray<FieldProblem> } | undefined => {
  const of = (status: number, message: string) => ({ status, problems: [{ field: "file", message }] })
  if (!("_tag" in error)) return error.statusCode === 413 ? of(413, `must be at most ${MOST}`) : undefined
  switch (error._tag) {
    case "Invalid":
      return { status: 400, problems: error.problems }
    case "Conflict":
      return of(409, error.reason)
    case "StoreError":
      return undefined
  }
}

const remove = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      yield* removeImport({ userId: visitor.account.id, id: yield* param("import", ImportId, "import") })
      return seeOther(`${portal}/imports?done=import-removed`)
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(`${portal}/imports`, list(portal)),
    Routes.get(
      `${portal}/imports/new`,
      Visitor.signedIn((visitor) => upload(portal, visitor))
    ),
    Routes.post(`${portal}/imports`, receive(portal)),
    Routes.post(`${portal}/imports/:import/remove`, remove(portal))
  ]
}
