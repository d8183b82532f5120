import { Account } from "@place-access/domain/accounts"
import { AuditEvent } from "@place-access/domain/audit"
import { UserId } from "@place-access/domain/shared"
import { listAudit, nameAccounts, nameAuditedApps, nameAuditedPurposes } from "@place-access/domain/staff"
import { Effect, Option, Schema } from "effect"
import * as Day from "../kit/Day.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import type { Locale } from "../../html/Locale.js"
import { texts } from "../../languages/index.js"
import { respond } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Table from "../kit/Table.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { ADMIN, asAdmin, fromCursor } from "../review/shared.js"
import { type AuditedNames, said } from "./auditWords.js"
import { accountPath, adminHead, AUDIT } from "./shared.js"

const words = texts.admin.audit

const LABELS = { kind: words.happened, account: words.accountId, from: words.from, to: words.until }

interface Filters {
  readonly shown: Readonly<Record<keyof typeof LABELS, string>>
  readonly filter: Parameters<typeof listAudit>[1]
  readonly problems: Fields.Shown["problems"]
}

/** Reads the filters from the query. Dates are days in `zone`, or in UTC when the zone is null. */
const read = (query: Form.Form, { zone }: Pick<Locale, "zone">): Filters => {
  const shown = {
    kind: query.value("kind"),
    account: query.value("account").trim(),
    from: query.value("from"),
    to: query.value("to")
  }
  const problems: Array<Fields.ShownProblem> = []
  const userId = Option.getOrUndefined(Schema.decodeOption(UserId)(shown.account))
  if (shown.account !== "" && userId === undefined) {
    problems.push({ field: "account", message: words.mustBeId })
  }
  const kind = Option.getOrUndefined(Schema.decodeUnknownOption(AuditEvent.AuditKind)(shown.kind))
  if (shown.kind !== "" && kind === undefined) problems.push({ field: "kind", message: words.notOfList })
  return { shown, filter: { kind, userId, ...Day.between(query, problems, zone ?? undefined) }, problems }
}

/** The address of the page of the audit log that begins at `cursor` (null: the first page), with the same filters. */
const address = ({ shown }: Filters, cursor: string | null): string => {
  const given = Object.entries({ ...shown, ...(cursor === null ? {} : { cursor }) }).filter(([, value]) => value !== "")
  return given.length === 0 ? AUDIT : `${AUDIT}?${new URLSearchParams(given).toString()}`
}

const page = asAdmin((visitor) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const filters = read(query, yield* Visitor.locale(visitor))
    const { events, nextCursor } = yield* fromCursor(query, (wanted) =>
      listAudit(visitor.account, filters.filter, wanted)
    )
    const names: Names = {
      accounts: yield* nameAccounts(events),
      apps: yield* nameAuditedApps(events),
      purposes: yield* nameAuditedPurposes(events)
    }
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      current: ADMIN,
      status: filters.problems.length === 0 ? 200 : 400,
      main: html`${adminHead(AUDIT, texts.admin.tabs.audit)}
        <p class="lead">${words.lead}</p>
        ${form(filters)}
        ${
          events.length === 0
            ? html`<p class="empty">${words.nothing}</p>`
            : Table.stacked(
                [words.when, words.account, words.happened, words.by],
                events.map((event) => entry(event, names))
              )
        }
        <p class="actions">
          ${query.value("cursor") !== "" && html`<a href="${address(filters, null)}">${words.newest}</a>`}
          ${nextCursor !== null && html`<a class="button second" href="${address(filters, nextCursor)}">${words.older}</a>`}
        </p>`
    })
  })
)

const form = ({ problems, shown }: Filters): Html => {
  const fields: Fields.Shown = { values: (name) => shown[name as keyof typeof shown] ?? "", problems }
  return html`${Fields.problems(fields, LABELS)}
    <form class="card filter" method="get" action="${AUDIT}">
      <div class="pair">
        ${Fields.select(fields, { name: "kind", label: LABELS.kind }, [
          { value: "", text: words.everything },
          ...AuditEvent.KINDS.map((kind) => ({ value: kind, text: texts.admin.kinds[kind] }))
        ])}
        ${Fields.input(fields, { name: "account", label: LABELS.account, required: false, maxlength: 64 })}
        ${Fields.input(fields, { name: "from", label: LABELS.from, type: "date", required: false })}
        ${Fields.input(fields, { name: "to", label: LABELS.to, type: "date", required: false })}
        <div class="field"><button class="second">${words.filter}</button></div>
      </div>
    </form>`
}

interface Names extends AuditedNames {
  readonly accounts: ReadonlyMap<UserId, Account.Account>
}

const entry = ({ actor, at, detail, userId }: AuditEvent.StoredAuditEvent, names: Names): Html =>
  html`<tr>
    <td data-label="${words.when}">${time(at, "row")}</td>
    <td data-label="${words.account}">
      ${userId === null ? html`<span class="soft">${words.noAccount}</span>` : account(userId, names)}
    </td>
    <td data-label="${words.happened}">${said(detail, names)}</td>
    <td data-label="${words.by}">${by(actor, names)}</td>
  </tr>`

/**
 * The account's name with a link to its page. An account that belongs to no person (`Account.isPerson`) has no page for
 * admins, so its name is not a link.
 */
const account = (id: UserId, names: Names): Html => {
  const found = names.accounts.get(id)
  return found === undefined || Account.isPerson(found)
    ? html`<a href="${accountPath(id)}">${found?.displayName ?? id}</a>`
    : html`${found.displayName}`
}

const by = (actor: AuditEvent.AuditActor, names: Names): Html => {
  switch (actor._tag) {
    case "Owner":
      return words.owner
    case "Operator":
      return words.operator
    case "Stranger":
      return words.stranger
    case "Staff":
    case "Teammate":
      return account(actor.id, names)
  }
}

export const routes = [Routes.get(AUDIT, page)]
