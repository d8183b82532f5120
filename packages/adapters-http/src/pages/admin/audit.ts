import type { Account } from "@place-access/domain/accounts"
import { AuditEvent } from "@place-access/domain/audit"
import { UserId } from "@place-access/domain/shared"
import { listAudit, nameAccounts } from "@place-access/domain/staff"
import { Effect, Option, Schema } from "effect"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Day from "../kit/Day.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../kit/Html.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { row, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { ADMIN, asAdmin, fromCursor } from "../review/shared.js"
import { KIND_NAMES, said } from "./auditWords.js"
import { accountPath, adminHead, AUDIT } from "./shared.js"

const LABELS = { kind: "What happened", account: "Id of an account", from: "From", to: "Until" }

interface Filters {
  readonly shown: Readonly<Record<keyof typeof LABELS, string>>
  readonly filter: Parameters<typeof listAudit>[1]
  readonly problems: ReadonlyArray<FieldProblem>
}

const read = (query: Form.Form): Filters => {
  const shown = {
    kind: query.value("kind"),
    account: query.value("account").trim(),
    from: query.value("from"),
    to: query.value("to")
  }
  const problems: Array<FieldProblem> = []
  const userId = Option.getOrUndefined(Schema.decodeOption(UserId)(shown.account))
  if (shown.account !== "" && userId === undefined) {
    problems.push({ field: "account", message: "must be an id such as usr_…; find it under Accounts" })
  }
  const kind = Option.getOrUndefined(Schema.decodeUnknownOption(AuditEvent.AuditKind)(shown.kind))
  return { shown, filter: { kind, userId, ...Day.between(query, problems) }, problems }
}

/** The address of another page of the same events. */
const address = ({ shown }: Filters, cursor: string | null): string => {
  const given = Object.entries({ ...shown, ...(cursor === null ? {} : { cursor }) }).filter(([, value]) => value !== "")
  return given.length === 0 ? AUDIT : `${AUDIT}?${new URLSearchParams(given).toString()}`
}

const page = asAdmin((visitor) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const filters = read(query)
    const { events, nextCursor } = yield* fromCursor(query, (wanted) =>
      listAudit(visitor.account, filters.filter, wanted)
    )
    const names = yield* nameAccounts(events)
    return respond({
      title: "Admin: audit log",
      reader: yield* Visitor.reader(visitor),
      current: ADMIN,
      main: html`${adminHead(AUDIT, "Audit log")}
        <p class="lead">
          Security events, and what staff and operators did, the newest first. Attempts to sign in are kept for 90 days,
          everything else for 400.
        </p>
        ${form(filters)}
        ${
          events.length === 0
            ? html`<p class="empty">Nothing was recorded that fits.</p>`
            : Table.stacked(
                ["When", "Account", "What happened", "By"],
                events.map((event) => entry(event, names))
              )
        }
        <p class="actions">
          ${query.value("cursor") !== "" && html`<a href="${address(filters, null)}">Newest</a>`}
          ${nextCursor !== null && html`<a class="button second" href="${address(filters, nextCursor)}">Older</a>`}
        </p>`
    })
  })
)

const form = ({ problems, shown }: Filters): Html => {
  const fields: Fields.Shown = { values: (name) => shown[name as keyof typeof shown] ?? "", problems }
  return html`${Fields.problems(fields, LABELS)}
    <form class="card filter long" method="get" action="${AUDIT}">
      <div class="pair">
        ${Fields.select(fields, { name: "kind", label: LABELS.kind }, [
          { value: "", text: "Everything" },
          ...AuditEvent.KINDS.map((kind) => ({ value: kind, text: KIND_NAMES[kind] }))
        ])}
        ${Fields.input(fields, { name: "account", label: LABELS.account, required: false, maxlength: 64 })}
        ${Fields.input(fields, { name: "from", label: LABELS.from, type: "date", required: false })}
        ${Fields.input(fields, { name: "to", label: LABELS.to, type: "date", required: false })}
        <div class="field"><button class="second">Filter</button></div>
      </div>
    </form>`
}

type Names = ReadonlyMap<UserId, Account.Account>

const entry = ({ actor, at, detail, userId }: AuditEvent.StoredAuditEvent, names: Names): Html =>
  html`<tr>
    <td data-label="When">${time(at, row)}</td>
    <td data-label="Account">
      ${userId === null ? html`<span class="soft">None that exists</span>` : account(userId, names)}
    </td>
    <td data-label="What happened">${said(detail)}</td>
    <td data-label="By">${by(actor, names)}</td>
  </tr>`

const account = (id: UserId, names: Names): Html =>
  html`<a href="${accountPath(id)}">${names.get(id)?.displayName ?? id}</a>`

const by = (actor: AuditEvent.AuditActor, names: Names): Html => {
  switch (actor._tag) {
    case "Owner":
      return html`Its owner`
    case "Operator":
      return html`An operator, on the server`
    case "Stranger":
      return html`Somebody who did not sign in`
    case "Staff":
      return account(actor.id, names)
  }
}

export const routes = [Routes.get(AUDIT, page)]
