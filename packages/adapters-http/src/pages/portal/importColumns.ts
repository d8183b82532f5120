import { confirmColumns, CsvColumns, readHeader } from "@place-access/domain/imports"
import { ImportId } from "@place-access/domain/shared"
import { Effect, Either } from "effect"
import { html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import * as ImportUpload from "./importUpload.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Visitor from "../kit/Visitor.js"

/**
 * The page on which a person says which columns of an uploaded table the service reads. Before that, the service reads
 * only the first line of the table, which names the columns.
 */

const words = texts.portal.imports.columns

const nameOf = (role: CsvColumns.ColumnRole): string => `${role}_column`
const LABELS = Object.fromEntries(CsvColumns.ROLES.map((role) => [nameOf(role), words.roles[role]]))

const page = (portal: string, visitor: Visitor.Visitor, id: ImportId, form?: Fields.Shown) =>
  Effect.gen(function* () {
    const { header, import: one } = yield* readHeader({ userId: visitor.account.id, id })
    const guessed = one.columns ?? {}
    const shown =
      form ?? Fields.fresh(Object.fromEntries(CsvColumns.ROLES.map((role) => [nameOf(role), guessed[role] ?? ""])))
    const options = [
      { value: "", text: words.nothing },
      ...[...new Set(header.names)].filter((name) => name !== "").map((name) => ({ value: name, text: name }))
    ]
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/devices`,
      width: "middle",
      status: shown.problems.length === 0 ? 200 : 400,
      main: html`<h1>${words.title}</h1>
        <p class="lead">${words.lead(ImportUpload.nameOf(one.fileName))}</p>
        ${Fields.problems(shown, LABELS)}
        <form class="card" method="post" action="${portal}/imports/${id}/columns">
          ${Fields.hidden("form_token", yield* Visitor.tokenFor(visitor))}
          ${CsvColumns.ROLES.map((role) =>
            Fields.select(shown, { name: nameOf(role), label: words.roles[role] }, options)
          )}
          <button>${words.button}</button>
        </form>
        <p><a href="${portal}/imports">${texts.portal.imports.all}</a></p>`
    })
  })

export const show = (portal: string) =>
  Visitor.signedIn((visitor) => Effect.flatMap(param("import", ImportId, "import"), (id) => page(portal, visitor, id)))

export const choose = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const id = yield* param("import", ImportId, "import")
      const showAgain = (problems: Fields.Shown["problems"]) => page(portal, visitor, id, Form.shown(form, problems))
      const chosen = Object.fromEntries(
        CsvColumns.ROLES.map((role) => [role, form.value(nameOf(role))] as const).filter(([, name]) => name !== "")
      )
      const lacking = CsvColumns.NEEDED.filter((role) => chosen[role] === undefined)
      if (lacking.length > 0) {
        return yield* showAgain(lacking.map((role) => ({ field: nameOf(role), message: words.choose })))
      }
      const columns = Form.decode(CsvColumns.CsvColumns, chosen)
      if (Either.isLeft(columns)) return yield* showAgain([{ field: nameOf("time"), message: words.choose }])
      const read = confirmColumns({ userId: visitor.account.id, id }, columns.right).pipe(
        Effect.as(seeOther(`${portal}/imports?done=import-started`))
      )
      return yield* Effect.catchTag(read, "Invalid", ({ problems }) => showAgain(problems))
    })
  )
