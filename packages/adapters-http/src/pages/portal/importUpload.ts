import { HttpServerRequest } from "@effect/platform"
import { checkFormToken } from "@place-access/domain/accounts"
import { getHistoryChoice, type History } from "@place-access/domain/retention-choice"
import { Import, startImport } from "@place-access/domain/imports"
import { type Conflict, Entropy, type Invalid, type StoreError } from "@place-access/domain/shared"
import { Effect, Either } from "effect"
import * as Upload from "../../edge/Upload.js"
import { HttpOptions } from "../../HttpOptions.js"
import { forScript, texts } from "../../languages/index.js"
import * as Credentials from "../../security/Credentials.js"
import * as Errors from "../../wire/Errors.js"
import { type Html, html, type Text } from "../../html/Html.js"
import * as Fields from "../kit/Fields.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Visitor from "../kit/Visitor.js"

/** The page that uploads files. The page works without a script; the script lets a person drop folders on the page. */

const words = texts.portal.imports

const LABELS = { file: words.upload.one }
const MOST = `${Import.MAX_BYTES / Import.MIB} MiB`
const MOST_TOGETHER = `${Import.MAX_WAITING_BYTES / Import.MIB} MiB`
/**
 * The file name extensions that the browser's dialog offers first. The service itself decides by the content of a file,
 * not by its name.
 */
const ACCEPTED = ".gpx,.kml,.kmz,.json,.geojson,.tcx,.fit,.csv,.txt,.rec,.xml,.zip,.gz,.tgz"

/** The name of an imported file. A file that was sent without a name gets a text in the reader's language. */
export const nameOf = (name: string): Text => (name === Import.FALLBACK_NAME ? words.nameless : name)

interface Refused {
  readonly status: number
  readonly problems: ReadonlyArray<Fields.ShownProblem>
  /** How many files of a form with several files were stored. */
  readonly stored?: number
  /** Whether one of the stored files is a table whose owner must say which columns are read. */
  readonly isAsking?: boolean
}

export const page = (
  portal: string,
  visitor: Visitor.Visitor,
  { isAsking = false, problems, status, stored = 0 }: Refused = { status: 200, problems: [] }
) =>
  Effect.gen(function* () {
    const token = yield* Visitor.tokenFor(visitor)
    const { keep } = yield* getHistoryChoice(visitor.account.id)
    const form: Fields.Shown = { values: () => "", problems }
    return yield* respond({
      title: words.add,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/devices`,
      width: "middle",
      status,
      files: { nonce: yield* Entropy.nonce, texts: forScript(({ portal: own }) => own.imports.upload.script) },
      main: html`<h1>${words.add}</h1>
        ${
          stored > 0 &&
          html`<div class="note">
            <p>${isAsking && words.upload.asking(`${portal}/imports`)} ${words.upload.several(stored)}</p>
          </div>`
        }
        ${Fields.problems(form, LABELS)} ${kept(portal, keep)}
        <form
          class="card"
          id="upload"
          method="post"
          action="${portal}/imports"
          enctype="multipart/form-data"
          data-list="${portal}/imports"
        >
          ${Fields.hidden("form_token", token)}
          ${Fields.file(form, {
            name: "file",
            label: words.upload.file,
            faultLabel: LABELS.file,
            hint: words.upload.hint(MOST),
            accept: ACCEPTED,
            several: true
          })}
          <button>${words.upload.button}</button>
        </form>
        <section class="card" aria-labelledby="where">
          <h2 id="where">${words.sources.heading}</h2>
          <dl>
            <dt>${words.sources.android}</dt>
            <dd>${words.sources.androidPath}</dd>
            <dt>${words.sources.iphone}</dt>
            <dd>${words.sources.iphonePath}</dd>
            <dt>${words.sources.takeout}</dt>
            <dd>${words.sources.takeoutPath}</dd>
            <dt>${words.sources.account}</dt>
            <dd>${words.sources.accountPath}</dd>
            <dt>${words.sources.gpx}</dt>
            <dd>${words.sources.gpxPath}</dd>
          </dl>
        </section>
        <p><a href="${portal}/imports">${words.all}</a></p>`
    })
  })

/**
 * A note for a person whose history is kept for a limited time. The service does not store entries of the file that are
 * older than this time. To add these entries later, the person must upload the file again.
 */
const kept = (portal: string, keep: History.Keep): Html | false =>
  keep !== null &&
  html`<div class="note">
    <p>${words.upload.history(keep, `${portal}/settings`)}</p>
  </div>`

/**
 * Stores the files of the form one after the other. When the service refuses a file, it still stores the other files.
 */
export const receive = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!/^multipart\/form-data\b/i.test(request.headers["content-type"] ?? "")) {
        yield* Visitor.checked(visitor.cookie)
        return yield* page(portal, visitor, {
          status: 400,
          problems: [{ field: "file", message: words.upload.choose }]
        })
      }
      yield* Credentials.checkOrigin(request, yield* HttpOptions)
      const outcomes = Upload.forms(request, Import.MAX_WAITING_BYTES, ({ bytes, fileName, value }) =>
        Effect.gen(function* () {
          // The form's token is checked before a file is read. In the form, the field of the token comes before the
          // files.
          if (!(yield* checkFormToken(visitor.cookie, value("form_token"), "")))
            return yield* Effect.fail(Visitor.stale)
          const started = startImport(visitor.account.id, fileName, bytes, { isAsking: true })
          const outcome: Either.Either<Import.Import, Refused> = yield* started.pipe(
            Effect.catchTag("ImportTooLarge", () => Effect.fail(Errors.payloadTooLarge(Import.MAX_BYTES))),
            Effect.map(Either.right),
            Effect.catchAll((error) => {
              const refused = refusalOf(error)
              return refused === undefined ? Effect.fail(error) : Effect.succeed(Either.left(refused))
            })
          )
          return { fileName, outcome }
        })
      )
      return yield* outcomes.pipe(
        Effect.flatMap((all) => answer(portal, visitor, all)),
        // The script that sends dropped files treats a redirect as success. So the answer to a refused form is this
        // page, and never a redirect.
        Effect.catchIf(
          (error) => error === Visitor.stale,
          () => page(portal, visitor, refusedAs(Visitor.stale.statusCode, texts.frame.messages.stale))
        ),
        Effect.catchAll((error) =>
          "statusCode" in error && error.statusCode === 413
            ? page(portal, visitor, refusedAs(413, words.upload.tooLargeTogether(MOST, MOST_TOGETHER)))
            : Effect.fail(error)
        )
      )
    })
  )

interface Outcome {
  readonly fileName: string
  readonly outcome: Either.Either<Import.Import, Refused>
}

interface Uploaded {
  readonly results: ReadonlyArray<Outcome>
  readonly isCut: boolean
}

const answer = (portal: string, visitor: Visitor.Visitor, { isCut, results: all }: Uploaded) => {
  const refused = all.flatMap(({ fileName, outcome }) =>
    Either.isLeft(outcome) ? [{ fileName, ...outcome.left }] : []
  )
  const asking = all.flatMap(({ outcome }) =>
    Either.isRight(outcome) && outcome.right.state === "asking" ? [outcome.right] : []
  )
  const [first] = refused
  if (first === undefined && !isCut) {
    const [table] = asking
    if (all.length > 1) {
      return Effect.succeed(
        seeOther(`${portal}/imports?done=${table === undefined ? "imports-started" : "imports-asking"}`)
      )
    }
    return Effect.succeed(
      seeOther(table === undefined ? `${portal}/imports?done=import-started` : `${portal}/imports/${table.id}/columns`)
    )
  }
  if (first !== undefined && all.length === 1) return page(portal, visitor, first)
  const problems = refused.flatMap(({ fileName, problems }) =>
    problems.map(({ message }) => ({
      field: "files",
      message: words.upload.refused(nameOf(Import.fileName(fileName)), Fields.said(message))
    }))
  )
  const last = nameOf(Import.fileName(all.at(-1)?.fileName ?? ""))
  const cut = { field: "files", message: words.upload.cut(all.length, last) }
  return page(portal, visitor, {
    status: first?.status ?? 413,
    problems: isCut ? [...problems, cut] : problems,
    stored: all.length - refused.length,
    isAsking: asking.length > 0
  })
}

const refusedAs = (status: number, message: Text): Refused => ({ status, problems: [{ field: "file", message }] })

/** How the page shows the refusal of a file. Undefined when the error page shows the refusal. */
const refusalOf = (error: Conflict | Invalid | StoreError | Errors.WireError): Refused | undefined => {
  if (!("_tag" in error)) return error.statusCode === 413 ? refusedAs(413, words.upload.tooLarge(MOST)) : undefined
  switch (error._tag) {
    case "Invalid":
      return { status: 400, problems: error.problems }
    case "Conflict":
      return refusedAs(409, error.reason)
    case "StoreError":
      return undefined
  }
}
